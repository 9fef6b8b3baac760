"""Every benchmark imports and says what it aims at; the table and the JSON agree."""

import importlib
import json
import sys
import time
import warnings
from argparse import Namespace

import numpy as np
import pytest

from benchmarks import same_bits
from benchmarks.__main__ import chosen
from benchmarks.collecting import (
    HERE,
    OWN_PACKAGES,
    USUAL,
    names,
    run_one,
    summary_of,
    summary_table,
)
from benchmarks.harness import Benchmark, Goal, Option, Skip
from benchmarks.same_bits_digests import facts
from benchmarks.showing import text_of
from benchmarks.timing import Timing, exponent, ratio_of, seconds_of, side_by_side
from pucut.methods.pu_cut import Candidate


def imported(name):
    try:
        return importlib.import_module(f"benchmarks.bench_{name}")
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in OWN_PACKAGES:
            raise
        pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize("name", names())
def test_a_benchmark_says_what_it_measures_and_aims_at(name):
    bench = imported(name).bench
    assert bench.name == name
    for part in bench.parts:
        assert f"\n{part} " in bench.about
    assert bool(bench.goals) != ("No goals." in bench.about)
    assert f"| `{name}` |" in (HERE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_a_benchmark_refuses_parts_that_it_has_not(name, capsys):
    with pytest.raises(SystemExit):
        imported(name).bench.main(["--parts", "no such part"])
    assert "no such part" in capsys.readouterr().err


@pytest.mark.parametrize("name", USUAL)
def test_what_runs_if_nothing_is_named(name):
    bench = imported(name).bench
    given = bench._parser().parse_args(USUAL[name])
    assert set(given.parts or bench.parts) <= set(bench.parts)
    assert bench.goals or name == "convex"


def test_which_benchmarks_run():
    def asked(named=(), is_all=False, is_quick=False):
        return chosen(Namespace(names=list(named), all=is_all, quick=is_quick))

    assert asked() == USUAL
    assert asked(["neighbors"]) == {"neighbors": ()}
    assert asked(is_all=True) == dict.fromkeys(names(), ())
    assert asked(is_quick=True) == dict.fromkeys(names(), ("--quick",))
    assert asked(["neighbors"], is_quick=True) == {"neighbors": ("--quick",)}


@pytest.fixture
def fake():
    bench = Benchmark(
        "somewhere/bench_fake.py",
        "A fake.",
        goals={"speed": Goal(2.0, wanted=1.0)},
        options={"repeats": Option(3, quick=1), "sizes": Option((10, 20)), "file": Option(None)},
    )

    @bench.part
    def speed(run):
        for size in run.options.sizes:
            times = {"pucut": Timing(size, size, None), "peer": Timing(8.0, 8.0, None)}
            figures = {"rows": size, "accuracy": (91.234, 0.5), "exact": True, **seconds_of(times)}
            run.row(
                f"{size} rows", figures, ratio=ratio_of(times, "peer"), goal="speed", peer="a peer"
            )

    @bench.part
    def impossible(run):
        run.row("nothing to compare with", {"gap": 3e-31, "of": float("nan")})
        assert run.peer("no_such_library.part") is None
        raise Skip("there is no GPU")

    return bench


def test_table_and_json_agree(fake, tmp_path, capsys):
    file = tmp_path / "new folder" / "found.json"
    returned = fake.main(["--json", str(file), "--sizes", "12,20", "--file", str(file)])
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["options"] == {"repeats": 3, "sizes": [12, 20], "file": "found.json"}
    assert str(tmp_path) not in file.read_text(encoding="utf-8")
    assert set(found["machine"]) == {"python", "numpy", "system", "cores"}
    printed = capsys.readouterr().out.splitlines()
    header = next(line for line in printed if "ratio" in line)
    columns = ["rows", "accuracy", "exact", "pucut s", "peer s"]
    assert header.split() == " ".join([*columns, "ratio", "goal", "peer"]).split()
    for result, kept in zip(found["results"], returned["results"], strict=True):
        line = next(line for line in printed if line.startswith(result["name"]))
        cells = [text_of(cell) for cell in kept["figures"].values()]
        if result["ratio"] is not None:
            cells += [text_of(result["ratio"]), text_of(result["goal"]), result["peer"]]
        assert line.removeprefix(result["name"]).split() == " ".join(cells).split()
        if line.endswith("a peer"):
            assert line.rindex("a peer") == header.rindex("peer")  # aligned
    first, second, third = found["results"]
    assert (first["ratio"], first["goal"], first["wanted"]) == (1.5, 2.0, 1.0)
    assert second["figures"]["accuracy"] == [91.234, 0.5]
    assert third["figures"] == {"gap": 3e-31, "of": None}
    assert third["ratio"] is None
    assert found["left_out"] == [
        "no_such_library is not installed: measured without it",
        "impossible: there is no GPU",
    ]


def test_seconds_of_processors_are_counted():
    bench = Benchmark("somewhere/bench_busy.py", None)

    @bench.part
    def busy(run):
        start = time.process_time()
        while time.process_time() < start + 0.05:
            pass

    @bench.part
    def asleep(run):
        time.sleep(0.05)

    used = bench.main([])["processor_seconds"]
    assert used["busy"] >= 0.03  # the clock of the system has steps of 0.01
    assert used["asleep"] <= 0.03


def test_the_summary_has_every_ratio(fake, monkeypatch):
    found = [fake.main(["--quick"]), fake.main(["--parts", "speed", "--sizes", "4"])]
    assert found[0]["options"]["repeats"] == 1
    summary = summary_of(found)
    assert [row["ratio"] for row in summary["results"]] == [1.25, 2.5, 0.5]
    assert list(summary["left_out"]) == ["fake"]
    assert 0 < summary["minutes"]["fake"] < 1
    assert summary["processor_minutes"]["fake"] == sum(found[-1]["processor_seconds"].values()) / 60
    header, *lines = summary_table(summary["results"]).splitlines()
    assert header.split() == ["benchmark", "what", "ratio", "goal", "peer"]
    for line, row in zip(lines, summary["results"], strict=True):
        assert line.startswith(f"fake       {row['what']}")
        assert line.split()[-4:] == [text_of(row["ratio"]), "2.000", "a", "peer"]
    assert summary_table([]) == "no benchmark has a ratio to show"
    # What a benchmark cannot do without may be missing: it is left out with a sentence.
    monkeypatch.setitem(sys.modules, "benchmarks.bench_fake", type("Fake", (), {"bench": fake}))
    assert run_one("fake", ["--parts", "speed"])["benchmark"] == "fake"
    monkeypatch.setattr(importlib, "import_module", missing)
    assert run_one("dask", [])["left_out"] == ["dask needs distributed, which is not installed"]


def missing(name):
    raise ModuleNotFoundError(name="distributed")


def test_actions_are_timed_in_turn_and_what_comes_before_is_not():
    calls = []
    times = side_by_side(
        {"one": lambda: calls.append(1) or len(calls), "two": lambda made: calls.append(made)},
        2,
        before={"two": lambda: calls.append("made") or 2},
    )
    assert calls == [1, "made", 2, 1, "made", 2]
    assert times["one"].result == 4
    assert 0 <= times["one"].seconds < 1
    assert ratio_of(times, "three") is None


def test_exponent_of_a_power():
    assert exponent([10, 100, 1000], [1.0, 10**1.5, 10**3.0]) == pytest.approx(1.5)


def test_same_bits_finds_what_differs(tmp_path, capsys):
    """Each case is computed by itself, twice the same; a changed answer is shown."""
    names = [name for name, _ in same_bits.all_cases()]
    assert len(set(names)) == len(names)
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    only = ["--only", "small / 2-HNC", "--only", "one label / 2-HNC", "--only", "metrics"]
    for file in (before, after):
        assert same_bits.main(["write", str(file), *only]) == 0
    assert same_bits.main(["compare", str(before), str(after)]) == 0
    found = json.loads(after.read_text(encoding="utf-8"))
    assert set(found) == {name for name in names if same_bits.is_wanted(name, only[1::2])}
    assert all("refused" not in answers for answers in found.values())
    found["one label / 2-HNC"]["scores_"] = "0"
    after.write_text(json.dumps(found), encoding="utf-8")
    capsys.readouterr()
    assert same_bits.main(["compare", str(before), str(after)]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "one label / 2-HNC: scores_ differs"
    assert last.endswith("answers have the same bits, 1 do not")
    assert same_bits.main(["compare", str(before), str(after), "--only", "metrics"]) == 0


def test_same_bits_keeps_warnings_and_errors():
    def computed():
        warnings.warn("so many", UserWarning, stacklevel=1)
        raise KeyError("nothing")

    found = same_bits.answers(computed)
    assert found["refused"] == "KeyError"
    assert found["warnings"] == "UserWarning"
    assert same_bits.answers(lambda: {"a": "1"}) == {"a": "1"}


def test_every_bit_of_a_result_counts():
    candidate = Candidate("trees", "score", 0.25, 0.5, 1.0, "the best")
    assert facts(line=candidate)["line"] == (
        "trees | score | 0x1.0000000000000p-2 | 0x1.0000000000000p-1 | 0x1.0000000000000p+0"
        " | the best"
    )
    assert facts(a=0.1) != facts(a=np.nextafter(0.1, 1.0))
    assert facts(a=np.array([1.0])) != facts(a=np.array([1.0], dtype=np.float32))
    assert facts(a=[1, {"b": None}], c=object()) == {"a[0]": "1", "a[1]['b']": "None"}
