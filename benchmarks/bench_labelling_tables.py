"""Labelling tables: positives found, the next answers for a classifier, few labels, and size.

find     rows of practice tables, positives thinned to a tenth, from one row of each class on: the
         most likely row is shown, its true class becomes known, and so on, in batches that grow
         with the rows seen. Work saved at 95 % of the positives (WSS@95) and positives found after
         10 % of the rows (RRF@10), in %, means over starts, beside extra trees and logistic
         regression trained on the answered rows alone. The ratio is of the work left to do
improve  accuracy on rows outside the pool, after 20, 50 and 100 answers, in %, of logistic
         regression (and extra trees, on tables) trained on the answers: rows queried at random, as
         the page does (by the uncertainty of these models), by CutQueryStrategy's levels, and by
         both. Texts as in bench_texts
ranks    `pucut rank`: positives among the first 20 rows, in %, by pu-cut, which is given the true
         prior, and by `--method label`, which needs none, with few known rows of each kind
size     processor seconds in which the page ranks a made table again, and seconds in which it keeps
         an answer and gives the next card
"""

import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.bench_texts import table as texts_of
from benchmarks.data import practice_table, practice_tasks
from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.screening import Pool, found_early, simulated, work_saved
from benchmarks.timing import mean_and_error
from paper.datasets import seed_from_names
from pucut import PUCutClassifier
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.graphs.spaces import weighted_space
from pucut.labelling.journal import FIND, About, Journal
from pucut.labelling.ranking import (
    TrainingRows,
    features_of,
    highest,
    rank_scores,
    uncertainties,
)
from pucut.labelling.rows import RowsToLabel
from pucut.labelling.session import Session, row_card, session_status
from pucut.queries import two_sided_levels
from pucut.tables.texts import learn_texts, text_matrix

# The learners of tables were chosen on these; the others are held out.
CHOSEN_ON = ("clean1", "soybean", "breast_w", "vehicle", "tokyo1", "cmc", "yeast", "car")
CHOSEN_ON += ("mfeat_fourier", "titanic", "ann_thyroid", "sleep")
JUDGED_BY = ("saheart", "threeOf9", "balance_scale", "analcatdata_authorship", "vowel", "flare")
JUDGED_BY += ("mofn_3_7_10", "led24", "mfeat_zernike", "clean2", "connect_4", "fars")
JUDGED_BY += ("monk1", "monk2", "monk3", "xd6", "solar_flare_2", "parity5_5", "mfeat_factors")
JUDGED_BY += ("mfeat_morphological", "mfeat_pixel", "led7")
TEXTS = ("sms", "reuters", "news")
SHARE = 0.1
AT = (20, 50, 100)

bench = Benchmark(
    __file__,
    __doc__,
    goals={"work left": Goal(1.0), "refit": Goal(1.0)},
    options={
        "tables": Option((*CHOSEN_ON, *JUDGED_BY), quick=("titanic",)),
        "pools": Option(
            (*TEXTS, "vehicle", "car", "yeast", "mfeat_fourier", "ann_thyroid", "cmc", "vowel"),
            quick=("titanic",),
        ),
        "starts": Option(2, quick=1),
        "rows": Option(500, quick=100),
        "sizes": Option((20_000, 100_000), quick=(500,)),
    },
)


@cache
def whole_table(name):
    tasks = {task.name: task for task in practice_tasks()}
    return practice_table(tasks[name])


def points_of(X):
    return np.asarray(learn_encoding(X)[1], dtype=np.float64)


def pool_of(name, n_rows):
    """Encoded rows and their truth, with a tenth of positives."""
    X, truth = whole_table(name)
    random = np.random.default_rng(seed_from_names("labelling tables", name))
    negative, positive = (random.permutation(np.flatnonzero(truth == kind)) for kind in (0, 1))
    negative = negative[: int(n_rows * (1.0 - SHARE))]
    positive = positive[: max(1, round(len(negative) * SHARE / (1.0 - SHARE)))]
    # Some tables are sorted by class, so the rows are shuffled.
    rows = random.permutation(np.concatenate([negative, positive]))
    return points_of(X[rows]), Pool(name, truth[rows])


def answered(make, X):
    """Scores of a classifier that is trained on the answered rows."""

    def scores(is_positive, is_negative):
        rows = np.flatnonzero(is_positive | is_negative)
        known = TrainingRows(rows, is_positive[rows])
        model = make().fit(X[rows], known.is_positive, sample_weight=known.weights(1.0))
        return model.predict_proba(X)[:, 1]

    return scores


@bench.part
def find(run: Run) -> None:
    by_table = {}
    for name in _there(run.options.tables):
        X, pool = pool_of(name, run.options.rows)
        features = features_of(None, X)
        rankings = {
            "pucut": lambda *known, features=features: rank_scores(features, *known),
            "trees": answered(lambda: ExtraTreesClassifier(100, random_state=0), X),
            "logistic": answered(lambda: LogisticRegression(max_iter=2000), X),
        }
        found = {}
        for method, scores_of in rankings.items():
            orders = [
                simulated(
                    pool, pool.start(start), scores_of, X, recall=0.95, seen_per_batch=8
                ).order
                for start in range(run.options.starts)
            ]
            found[f"WSS {method}"] = float(np.mean([work_saved(pool, order) for order in orders]))
            found[f"RRF {method}"] = float(np.mean([found_early(pool, order) for order in orders]))
        by_table[name] = found
        run.row(name, found)
    for group, names in (("chosen on", CHOSEN_ON), ("others", JUDGED_BY)):
        kept = [by_table[name] for name in names if name in by_table]
        if kept:
            mean = {key: float(np.mean([one[key] for one in kept])) for key in kept[0]}
            ratio = (100.0 - mean["WSS pucut"]) / (100.0 - mean["WSS trees"])
            run.row(f"mean, {group}", mean, ratio=ratio, goal="work left", peer="extra trees")


def _there(names):
    try:
        practice_tasks()
    except OSError as error:
        raise Skip(f"no practice tables: {error}") from error
    return names


def halves(name, seed, n_rows):
    """Rows to query and rows for the comparison: features, truth, features, truth."""
    random = np.random.default_rng(seed_from_names("improve", name, seed))
    source, truth = texts_of(name) if name in TEXTS else whole_table(name)
    rows = random.permutation(len(truth))[: 2 * n_rows]
    if name in TEXTS:
        X = text_matrix([source.iloc[row] for row in rows])
    else:
        X = points_of(source[rows])
    half, truth = len(rows) // 2, truth[rows]
    return X[:half], truth[:half], X[half:], truth[half:]


def next_rows(method, features, graph, truth, is_known, size, random):
    if method == "random":
        return random.choice(np.flatnonzero(~is_known), size, replace=False)
    known = is_known & truth, is_known & ~truth
    in_doubt = np.ones(len(truth))
    if method != "cuts":
        in_doubt = uncertainties(features, *known)
    if method != "page":
        in_doubt = in_doubt * (1.0 - np.abs(two_sided_levels(graph, *known)))
    return highest(in_doubt, ~is_known, size)


def curve(method, data, is_text, seed):
    X, truth, X_judge, judge = data
    features = features_of(X, None) if is_text else features_of(None, X)
    random = np.random.default_rng(seed)
    graph = weighted_space("plain", X, np.ones(X.shape[1]), 10).graph(10)  # CutQueryStrategy's
    is_known = np.zeros(len(truth), dtype=np.bool_)
    for kind in (truth, ~truth):
        is_known[random.choice(np.flatnonzero(kind))] = True
    found, n_answers = [], 0
    for size in [1] * 20 + [2] * 15 + [5] * 10:
        is_known[next_rows(method, features, graph, truth, is_known, size, random)] = True
        n_answers += size
        if n_answers in AT:
            models = [make().fit(X[is_known], truth[is_known]) for make in features.models]
            share = np.mean([model.predict_proba(X_judge)[:, 1] for model in models], axis=0)
            found.append(100.0 * float(np.mean((share > 0.5) == judge)))
    return found


@bench.part
def improve(run: Run) -> None:
    means = {}
    for name in _there(run.options.pools):
        for method in ("random", "page", "cuts", "page and cuts"):
            curves = [
                curve(method, halves(name, seed, 400), name in TEXTS, seed)
                for seed in range(run.options.starts)
            ]
            found = {
                f"after {at}": mean_and_error(part)
                for at, part in zip(AT, zip(*curves, strict=True), strict=True)
            }
            run.row(f"{name}, {method}", found)
            means.setdefault(method, []).append([value for value, _ in found.values()])
    for method, values in means.items():
        mean = np.mean(values, axis=0)
        run.row(
            f"mean, {method}", {f"after {at}": value for at, value in zip(AT, mean, strict=True)}
        )


@bench.part
def ranks(run: Run) -> None:
    for name in _there(run.options.pools):
        for n_positive, n_negative in ((2, 0), (5, 5), (20, 20)):
            shares = [
                first_rows(name, seed, n_positive, n_negative, run.options.rows)
                for seed in range(run.options.starts)
            ]
            by_method = dict(zip(("pu-cut", "label"), np.mean(shares, axis=0), strict=True))
            run.row(f"{name}, {n_positive} and {n_negative} known", by_method)


def first_rows(name, seed, n_positive, n_negative, n_rows):
    """Positives among the first 20, by pu-cut and as `pucut label` ranks."""
    random = np.random.default_rng(seed_from_names("ranks", name, seed))
    source, truth = texts_of(name) if name in TEXTS else whole_table(name)
    rows = random.permutation(len(truth))[:n_rows]
    truth = truth[rows]
    if name in TEXTS:
        texts = source.iloc[rows].reset_index(drop=True)
        X = learn_texts(texts.tolist()).values(texts.tolist())
        features = features_of(text_matrix(texts.tolist()), None)
    else:
        X = source[rows]
        features = features_of(None, points_of(X))
    is_positive, is_negative = np.zeros((2, len(truth)), dtype=np.bool_)
    is_positive[random.choice(np.flatnonzero(truth), n_positive, replace=False)] = True
    is_negative[random.choice(np.flatnonzero(~truth), n_negative, replace=False)] = True
    labels = PULabels(is_positive, np.array([False, True]), is_negative)
    fitted = PUCutClassifier(prior=float(truth.mean()), random_state=0).fit(X, labels)
    free = np.flatnonzero(~(is_positive | is_negative))
    return [
        100.0 * float(truth[free[np.argsort(-scores[free], kind="stable")[:20]]].mean())
        for scores in (fitted.scores_, rank_scores(features, is_positive, is_negative))
    ]


@bench.part
def size(run: Run) -> None:
    random = np.random.default_rng(0)
    words = np.array([f"w{place}" for place in range(5000)])
    for n_rows in run.options.sizes:
        texts = [" ".join(words[row]) for row in random.integers(0, 5000, (n_rows, 100))]
        kinds = {
            "texts": features_of(text_matrix(texts), None),
            "table": features_of(None, random.normal(size=(n_rows, 20))),
        }
        for kind, features in kinds.items():
            refit, step = session_seconds(texts, features, random)
            figures = {"refit s": refit, "answer and next card s": step}
            goal = {"ratio": refit / 2.0, "goal": "refit", "peer": "two seconds"}
            run.row(f"{n_rows} rows, {kind}", figures, **(goal if n_rows <= 20_000 else {}))


def session_seconds(texts, features, random):
    """A ranking from 400 known rows, and the median of answers with the cards after them."""
    n_rows = len(texts)
    is_positive, is_negative = np.zeros((2, n_rows), dtype=np.bool_)
    known = random.permutation(n_rows)[:400]
    is_positive[known[:60]] = is_negative[known[60:]] = True
    rows = RowsToLabel("made", ("text",), (texts,), is_positive, is_negative, features)
    about = About("made", "", n_rows, "known")
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal(Path(folder) / "journal", about) as journal,
    ):
        begun = time.process_time()
        session = Session(rows, journal)  # ranks once, in this thread
        refit, steps = time.process_time() - begun, []
        for key in range(10):
            begun = time.perf_counter()
            row = session.next_row("window", FIND)
            row_card(session, row)
            session_status(session)
            session.answer(str(key), "me", "no", row)
            steps.append(time.perf_counter() - begun)
        session.close()
    return refit, float(np.median(steps))


if __name__ == "__main__":
    bench.main()
