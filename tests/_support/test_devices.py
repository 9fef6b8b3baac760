"""Which device is used for what is asked, on machines that these tests make up."""

import sys
import warnings
from types import SimpleNamespace

import pytest

from pucut._support.devices import card_of, usable_card
from pucut.exceptions import DeviceNotFoundWarning


def gpus(monkeypatch, n):
    """A PyTorch that finds so many GPUs; None: no PyTorch."""
    cuda = SimpleNamespace(is_available=lambda: bool(n), device_count=lambda: n)
    torch = None if n is None else SimpleNamespace(cuda=cuda)
    monkeypatch.setitem(sys.modules, "torch", torch)


@pytest.mark.parametrize("device", [None, "cpu", "auto"])
@pytest.mark.parametrize("n", [None, 0])
def test_without_a_gpu_the_processors_are_used(monkeypatch, device, n):
    gpus(monkeypatch, n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert card_of(device) is None


@pytest.mark.parametrize(
    ("device", "wanted"),
    [(None, None), ("cpu", None), ("auto", "cuda"), ("cuda", "cuda"), ("cuda:1", "cuda:1")],
)
def test_with_gpus_the_one_asked_for_is_used(monkeypatch, device, wanted):
    gpus(monkeypatch, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert card_of(device) == usable_card(device) == wanted


@pytest.mark.parametrize(
    ("n", "device", "why"),
    [
        (None, "cuda", "PyTorch is not installed (pucut[torch])"),
        (0, "cuda", "PyTorch finds no GPU here that it can use through CUDA"),
        (0, "cuda:1", "PyTorch finds no GPU here that it can use through CUDA"),
        (2, "cuda:2", "the last GPU that PyTorch finds here is 'cuda:1'"),
    ],
)
def test_one_that_is_not_there_is_said(monkeypatch, n, device, why):
    gpus(monkeypatch, n)
    with pytest.warns(DeviceNotFoundWarning) as said:
        assert card_of(device) is None
    assert [str(each.message) for each in said] == [
        f"device is {device!r}, but {why}: the processors are used instead"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert usable_card(device) is None


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "cuda1", "mps", "", 0, "CUDA"])
def test_other_devices_are_refused(device):
    for read in (card_of, usable_card):
        with pytest.raises(ValueError, match=r"device must be None, 'cpu', 'auto', 'cuda' or"):
            read(device)


@pytest.mark.parametrize("device", [None, "cpu"])
def test_who_asks_for_no_gpu_does_not_wait_for_pytorch(monkeypatch, device):
    def imported(device):
        raise AssertionError(device)

    monkeypatch.setattr("pucut._support.devices._missing", imported)
    assert card_of(device) is None
