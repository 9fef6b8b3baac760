"""Requests to end that come up in code that drops them."""

import argparse
import os
import signal
from contextlib import suppress

import pytest

from pucut.cli import UserError, run_command
from pucut.cli._ending import forget_requests, raise_lost_request

NAMES = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows sends no signals to itself")


def ended(run):
    parser = argparse.ArgumentParser(prog="pucut")
    parser.set_defaults(run=run)
    return run_command(parser, [])


def losing(number):
    """A signal comes, and what it raises is dropped."""
    with suppress(BaseException):
        os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", NAMES)
def test_a_request_that_was_lost_still_ends_the_command(number, capsys):
    def run(arguments):
        losing(number)
        return 0

    code, said = NAMES[number]
    assert ended(run) == code
    assert capsys.readouterr().err == f"pucut: {said}\n"


@pytest.mark.parametrize("number", NAMES)
def test_a_lost_request_comes_before_what_went_wrong_later(number, capsys):
    def run(arguments):
        losing(number)
        raise UserError("the share of positives is not known")

    code, said = NAMES[number]
    assert ended(run) == code
    assert capsys.readouterr().err == f"pucut: {said}\n"


def test_nothing_is_written_after_a_lost_request(tmp_path):
    def run(arguments):
        losing(signal.SIGINT)
        raise_lost_request()
        (tmp_path / "answers.csv").touch()
        return 0

    assert ended(run) == 130
    assert not list(tmp_path.iterdir())


def test_a_request_that_ends_a_page_ends_nothing_else():
    def run(arguments):
        losing(signal.SIGINT)
        forget_requests()
        return 0

    assert ended(run) == 0


def test_handlers_are_given_back_and_requests_forgotten():
    before = [signal.getsignal(number) for number in NAMES]
    assert ended(lambda arguments: losing(signal.SIGINT) or 0) == 130
    assert ended(lambda arguments: 0) == 0
    assert [signal.getsignal(number) for number in NAMES] == before


def test_an_interrupt_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert ended(lambda arguments: losing(signal.SIGINT) or 0) == 0
    finally:
        signal.signal(signal.SIGINT, before)
