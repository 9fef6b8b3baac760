"""Both estimators, fitted once for all tests of the report, and their pages in one browser."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pucut.report import plane, summarise, write
from pucut.utils.estimator_checks._tools import pu_table
from tests.helpers.browser import show, start_browser
from tests.helpers.reports import HOSTILE, N_DRAWN, N_ROWS, QUOTED, fit_both


@pytest.fixture(scope="session")
def table():
    return pu_table(220)


@pytest.fixture(scope="session")
def models(table):
    X, y, _ = table
    return fit_both(X, y)


@pytest.fixture(scope="session")
def summaries(models, table):
    X, y, _ = table
    return {name: summarise(model, X, y) for name, model in models.items()}


@pytest.fixture(params=["pucut", "2-HNC"])
def method(request):
    return request.param


@pytest.fixture
def model(method, models):
    return models[method]


@pytest.fixture
def summary(method, summaries):
    return summaries[method]


@pytest.fixture
def paper(models, summaries):
    """2-HNC and its summary."""
    return models["2-HNC"], summaries["2-HNC"]


@pytest.fixture
def chooser(models, summaries):
    """pucut and its summary."""
    return models["pucut"], summaries["pucut"]


@pytest.fixture(scope="session")
def browser():
    driver = start_browser()
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """By method: the model, its table, the dict and the file; not all rows are drawn."""
    X, y, _ = pu_table(N_ROWS)
    frame = pd.DataFrame(X, columns=["alpha", "beta", "gamma", HOSTILE])
    frame["kind"] = np.where(X[:, 0] > 1.5, "<b>large</b>", "small")
    names = [HOSTILE, QUOTED, *(f"Sample {row:03d}" for row in range(2, N_ROWS))]
    folder = tmp_path_factory.mktemp("report")
    found = {}
    for number, (method, model) in enumerate(fit_both(frame, y).items()):
        path = folder / f"report_{number}.html"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plane, "MOST_DRAWN", N_DRAWN)
            summary = summarise(model, frame, y, ids=names)
        write(path, summary)
        found[method] = SimpleNamespace(
            model=model, X=frame, y=y, names=names, summary=summary, path=path
        )
    return found


@pytest.fixture
def report(method, reports):
    return reports[method]


@pytest.fixture
def opened(browser, report):
    return show(browser, report.path)
