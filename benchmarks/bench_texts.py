"""Free text: as the command line reads it, and as a sparse matrix of TF-IDF.

column  one column of texts through `pucut.tables`: words, groups of letters and both, in as many
        directions as --directions names; accuracy in % on the unlabelled texts, area under the ROC
        curve, and seconds to learn the texts and to fit
sparse  the same texts as the sparse matrix of scikit-learn's TfidfVectorizer, given to `fit`
share   the loss by a column of meaningless texts beside a table

Half of the positives are labelled, and the true prior is given. Texts are read from the folder
`texts` in the one that PUCUT_DATA names: NAME.csv.gz with the columns class and text (sms: spam;
reuters: acq of the R8 collection; news: the sci groups of 20 Newsgroups, without the first block
of lines and without quoted ones). Where they are not there, texts are made. No goals.
"""

import time
from functools import cache

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

from benchmarks.harness import Benchmark, Option
from paper.datasets import data_folder, seed_from_names
from pucut import PUCutClassifier, PUExtraTreesClassifier
from pucut.datasets import pu_split
from pucut.tables.texts import learn_texts

POSITIVE = {"sms": ("spam",), "reuters": ("acq",), "news": ("sci.",), "made": ("yes",)}
KINDS = {
    "words": ({},),
    "letters": ({"analyzer": "char_wb", "ngram_range": (3, 4)},),
    "both": ({}, {"analyzer": "char_wb", "ngram_range": (3, 4)}),
}

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "tables": Option(("sms", "reuters", "news"), quick=("made",)),
        "rows": Option(1000, quick=200),
        "seeds": Option(3, quick=1),
        "directions": Option(("50", "100", "200"), quick=("20",)),
    },
)


@cache
def table(name):
    """Texts and whether each is positive."""
    path = data_folder() / "texts" / f"{name}.csv.gz" if name != "made" else None
    if path is None:
        return made()
    found = pd.read_csv(path, keep_default_na=False)
    return found["text"], found["class"].str.startswith(POSITIVE[name]).to_numpy()


def made(n_rows=2000, n_words=2000):
    """Fifty words of a language in which words are as rare as in any; a tenth of them by class."""
    random = np.random.default_rng(0)
    words = np.array(["".join(random.choice([*"aeioubcdfgklmnprst"], 6)) for _ in range(n_words)])
    frequency = 1.0 / np.arange(1, n_words + 1)
    is_positive = random.random(n_rows) < 0.3
    texts = []
    for kind in is_positive:
        own = np.roll(frequency, 7 if kind else 0)
        common = random.choice(words, 45, p=frequency / frequency.sum())
        texts.append(" ".join([*common, *random.choice(words, 5, p=own / own.sum())]))
    return pd.Series(texts), is_positive


def draws(run):
    for name in run.options.tables:
        try:
            texts, is_positive = table(name)
        except FileNotFoundError as error:
            run.leave_out(f"{name}: {error}")
            continue
        for seed in range(run.options.seeds):
            random = np.random.default_rng(seed_from_names("texts", name, seed))
            rows = random.choice(len(texts), min(run.options.rows, len(texts)), replace=False)
            truth = is_positive[rows]
            yield name, texts.iloc[rows], truth, pu_split(truth, 0.5, random_state=seed)


def judge(run, name, X, truth, is_labelled, seconds):
    for method in (PUCutClassifier, PUExtraTreesClassifier):
        model = method(prior=float(truth.mean()), random_state=0)
        start = time.perf_counter()
        model.fit(X, is_labelled)
        figures = {
            "accuracy": 100 * float(np.mean((model.transduction_ == truth)[~is_labelled])),
            "area": float(roc_auc_score(truth[~is_labelled], model.scores_[~is_labelled])),
            "texts s": seconds,
            "fit s": time.perf_counter() - start,
        }
        run.row(f"{name}, {method.__name__}", figures)


def terms(texts, kind):
    options = {"sublinear_tf": True, "min_df": 2, "max_df": 0.5, "max_features": 10_000}
    parts = [TfidfVectorizer(**options, **own).fit_transform(texts) for own in KINDS[kind]]
    return sp.hstack(parts).tocsr()


@bench.part
def column(run):
    for name, texts, truth, is_labelled in draws(run):
        start = time.perf_counter()
        X = learn_texts(texts.tolist()).values(texts.tolist())
        judge(run, f"{name}, as read", X, truth, is_labelled, time.perf_counter() - start)
        for kind in KINDS:
            for n_directions in map(int, run.options.directions):
                start = time.perf_counter()
                svd = TruncatedSVD(n_directions, random_state=0)
                X = svd.fit_transform(terms(texts, kind))
                seconds = time.perf_counter() - start
                judge(run, f"{name}, {kind}, {n_directions}", X, truth, is_labelled, seconds)


@bench.part
def sparse(run):
    for name, texts, truth, is_labelled in draws(run):
        start = time.perf_counter()
        X = terms(texts, "words")
        judge(run, f"{name}, sparse words", X, truth, is_labelled, time.perf_counter() - start)


@bench.part
def share(run):
    X, truth = load_breast_cancer(return_X_y=True)
    texts = made(len(X))[0]
    for seed in range(run.options.seeds):
        is_labelled = pu_split(truth == 1, 0.5, random_state=seed)
        values = learn_texts(texts.tolist()).values(texts.tolist())
        judge(run, "numbers alone", X, truth == 1, is_labelled, 0.0)
        judge(run, "numbers and texts", np.hstack([X, values]), truth == 1, is_labelled, 0.0)


if __name__ == "__main__":
    bench.main()
