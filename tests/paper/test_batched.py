"""Networks trained in stacks are those trained alone."""

from dataclasses import replace

import numpy as np
import pytest

from paper.__main__ import main
from paper.methods import METHODS, NeuralMethod
from paper.running import batched
from paper.running.collect import collect


def make_small(monkeypatch, **settings):
    """Networks that are trained in no time."""
    for key, method in list(METHODS.items()):
        if isinstance(method, NeuralMethod):

            def make(data, method=method):
                return method.make(data).set_params(**settings)

            monkeypatch.setitem(METHODS, key, replace(method, make=make))


def test_networks_in_stacks_are_those_trained_alone(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    make_small(monkeypatch, hidden_layer_sizes=(20,), max_epochs=4, patience=None)
    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "2"]
    chosen += ["--per-configuration", "2", "--methods", "upu,nnpu", "--prior", "true"]
    chosen += ["--device", "cpu", "--results"]
    assert main([*chosen, str(tmp_path / "alone")]) == 0
    assert main([*chosen, str(tmp_path / "stacked"), "--batched"]) == 0
    alone = collect(tmp_path / "alone").rows
    stacked = collect(tmp_path / "stacked").rows
    assert len(alone) == len(stacked) == 8
    for one, other in zip(alone, stacked, strict=True):
        same = ("dataset", "method", "repetition", "seed", "n_labelled", "prior_used", "device")
        assert [getattr(one, name) for name in same] == [getattr(other, name) for name in same]
        assert one.auc == pytest.approx(other.auc, abs=0.01)
    assert len({row.seconds for row in stacked}) < 8  # shared by a stack


def test_a_stack_goes_on_with_what_is_left(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    make_small(monkeypatch, hidden_layer_sizes=(5,), max_epochs=1)
    sizes = []

    def counted(stack):
        sizes.append(len(stack))
        return trained(stack)

    trained = batched._trained
    monkeypatch.setattr(batched, "_trained", counted)
    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "1", "--batched"]
    chosen += ["--methods", "nnpu", "--prior", "true", "--results", str(tmp_path)]
    assert main(chosen) == 0
    files = sorted(tmp_path.rglob("*.npz"))
    with np.load(files[2]) as before:
        scores = before["scores"]
    files[2].write_bytes(b"")
    assert main(chosen) == 0
    assert sizes == [4, 1]
    with np.load(files[2]) as after:
        np.testing.assert_allclose(after["scores"], scores, rtol=1e-4, atol=1e-6)
