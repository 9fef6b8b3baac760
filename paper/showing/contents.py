"""The contents of the reproduction, in order: sections of tables and figures, made of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paper.datasets import REAL, REAL_NAMES
from paper.protocol import SMALL_SHARE_NAMES
from paper.schema import METRIC_TITLES, METRICS, Row
from paper.showing import (
    prior_tables,
    real_tables,
    reference_tables,
    significance_tables,
    synthetic_tables,
)
from paper.showing.contenders import BENCHMARKS, PUBLISHED, PUCUT, TWO_HNC, Contender
from paper.showing.figures import (
    Drawing,
    Series,
    critical_differences,
    histograms,
    improvements_by_step,
    scores_by_dataset,
)
from paper.showing.published import Published
from paper.showing.results import (
    REAL_10,
    REAL_10_ESTIMATED,
    REAL_60,
    REAL_60_ESTIMATED,
    SYNTHETIC,
    SYNTHETIC_ESTIMATED,
    SYNTHETIC_FAMILIES,
    Results,
)
from paper.showing.statistics import Summary
from paper.showing.summary import agreement_table, write_summary
from paper.showing.tables import Table


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    items: tuple[Table | Drawing, ...]


@dataclass(frozen=True)
class Contents:
    sections: tuple[Section, ...]
    summary: str
    n_runs: int

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(
            item for part in self.sections for item in part.items if isinstance(item, Table)
        )

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        return tuple(
            item for part in self.sections for item in part.items if isinstance(item, Drawing)
        )


def make_contents(runs: Sequence[Row], published: Published) -> Contents:
    real, few = Results(runs, REAL_60), Results(runs, REAL_10)
    synthetic = Results(runs, SYNTHETIC)
    families = {name: Results(runs, setting) for name, setting in SYNTHETIC_FAMILIES.items()}
    agreement = tuple(
        agreement_table(real, published, REAL_NAMES, metric, f"agreement_{metric}")
        for metric in METRICS
    )
    improvement = _improvement(synthetic, published)
    informative = tuple(
        synthetic_tables.improvement_by_family(families, metric, f"informative_{metric}")
        for metric in METRICS
    )
    networks = _networks(synthetic, published)
    sections = (
        Section("agreement", "Agreement with the paper", agreement),
        Section("data", "Datasets", _data(real, synthetic, published)),
        Section("real60", "Real datasets, 60 % labelled", _real_60(real, published)),
        Section("real10", "Real datasets, about 10 % labelled", _real_10(few, published)),
        Section("prior", "True against estimated prior", _priors(runs)),
        Section("tests", "Tests of single datasets", _tests(real, published)),
        Section("synthetic", "Synthetic datasets", _synthetic(synthetic, improvement)),
        Section(
            "few_informative",
            "Synthetic datasets, few informative features",
            _few_informative(families["few_informative"], published),
        ),
        Section(
            "informative",
            "Synthetic datasets, by the number of informative features",
            (*informative, _by_informative(families, published)),
        ),
        Section("networks", "Networks that were trained differently", networks),
        Section("ranks", "Average ranks", _ranks(real, synthetic)),
        Section("cost", "Cost", _cost(real, synthetic)),
        Section(
            "published",
            "The paper's numbers",
            (reference_tables.published_checks(published, "published_checks"),),
        ),
    )
    return Contents(
        sections, write_summary((*agreement, *improvement), real, few, len(runs)), len(runs)
    )


def _data(real: Results, synthetic: Results, published: Published) -> tuple[Table, ...]:
    return (
        reference_tables.datasets_table(real, published, "datasets"),
        reference_tables.configurations_table(synthetic, published, "synthetic_configurations"),
    )


def _real_60(real: Results, published: Published) -> tuple[Table | Drawing, ...]:
    items: list[Table | Drawing] = []
    for metric in METRICS:
        title = METRIC_TITLES[metric]
        where = "real datasets, 60 % labelled, true prior"
        items += [
            real_tables.paper_layout(
                real,
                REAL_NAMES,
                metric,
                f"real60_paper_layout_{metric}",
                f"The paper's table with our numbers: {title} (%), {where}",
            ),
            real_tables.beside_paper(
                real, published, REAL_NAMES, metric, f"real60_beside_paper_{metric}"
            ),
            _points(real, published, metric),
            real_tables.every_method(
                real,
                REAL_NAMES,
                metric,
                f"real60_every_method_{metric}",
                f"Every method: {title} (%), {where}",
            ),
        ]
    return tuple(items)


def _points(real: Results, published: Published, metric: str) -> Drawing:
    series = []
    for contender in (*PUBLISHED, PUCUT):
        paper: list[Summary | None] = [None] * len(REAL_NAMES)
        if contender != PUCUT:
            for place, dataset in enumerate(REAL_NAMES):
                mean = published.scores[metric, dataset, contender.method].mean
                error = published.standard_error(dataset, contender.method)
                paper[place] = Summary(mean, error if metric == "accuracy" else None, 5)
        ours = [real.summary(dataset, contender, metric) for dataset in REAL_NAMES]
        series.append(Series(contender.title, ours, paper))
    title = f"{METRIC_TITLES[metric]} on unlabelled rows (%)".capitalize()
    return scores_by_dataset(
        f"real60_{metric}",
        f"Real datasets, 60 % labelled, true prior: {METRIC_TITLES[metric]}. Bars are one standard "
        "error" + ("." if metric == "accuracy" else "; the paper has none of balanced accuracy."),
        [entry.title for entry in REAL.values()],
        series,
        title,
    )


def _real_10(few: Results, published: Published) -> tuple[Table, ...]:
    datasets = _few_labels_datasets(few)
    items = [real_tables.beside_earlier(few, published.earlier, "real10_beside_earlier")]
    for metric in METRICS:
        what = f"{METRIC_TITLES[metric]} (%), real datasets, about 10 % labelled, true prior"
        items += [
            real_tables.paper_layout(
                few,
                datasets,
                metric,
                f"real10_paper_layout_{metric}",
                f"In the paper's layout: {what}",
                earlier=published.earlier if metric == "accuracy" else None,
            ),
            real_tables.every_method(
                few,
                datasets,
                metric,
                f"real10_every_method_{metric}",
                f"Every method: {what}",
            ),
        ]
    return tuple(items)


def _few_labels_datasets(few: Results) -> tuple[str, ...]:
    """The datasets of the protocol, and others that were run."""
    return tuple(name for name in REAL_NAMES if name in {*SMALL_SHARE_NAMES, *few.datasets})


def _priors(runs: Sequence[Row]) -> tuple[Table, ...]:
    settings = (
        ("60", "60 %", REAL_60, REAL_60_ESTIMATED, REAL_NAMES),
        (
            "10",
            "about 10 %",
            REAL_10,
            REAL_10_ESTIMATED,
            _few_labels_datasets(Results(runs, REAL_10)),
        ),
    )
    real = tuple(
        prior_tables.loss_on_real(
            Results(runs, true),
            Results(runs, estimated),
            datasets,
            metric,
            f"real{share}_prior_loss_{metric}",
            f"What an estimated prior costs: {METRIC_TITLES[metric]} (points), real datasets, "
            f"{title} labelled",
        )
        for share, title, true, estimated, datasets in settings
        for metric in METRICS
    )
    synthetic = prior_tables.loss_on_synthetic(
        Results(runs, SYNTHETIC), Results(runs, SYNTHETIC_ESTIMATED), "synthetic_prior_loss"
    )
    return (*real, synthetic)


def _tests(real: Results, published: Published) -> tuple[Table, ...]:
    against_best = [
        significance_tables.against_best_benchmark(
            real, published, REAL_NAMES, direction, f"real60_{direction}performance"
        )
        for direction in ("out", "under")
    ]
    against_all = [
        significance_tables.pucut_against_others(
            real, REAL_NAMES, metric, f"real60_pucut_p_values_{metric}"
        )
        for metric in METRICS
    ]
    return (*against_best, *against_all)


def _improvement(synthetic: Results, published: Published) -> tuple[Table, ...]:
    return tuple(
        synthetic_tables.improvement_beside_paper(
            synthetic, published, metric, f"{synthetic.setting.suite}_improvement_{metric}"
        )
        for metric in METRICS
    )


def _synthetic(synthetic: Results, beside_paper: Sequence[Table]) -> tuple[Table | Drawing, ...]:
    items: list[Table | Drawing] = []
    for metric, table in zip(METRICS, beside_paper, strict=True):
        items += [
            table,
            _histograms(synthetic, TWO_HNC, metric),
            synthetic_tables.improvement_by_parameter(
                synthetic, TWO_HNC, BENCHMARKS, metric, f"synthetic_two_hnc_by_parameter_{metric}"
            ),
            synthetic_tables.improvement_of_pucut(synthetic, metric, f"synthetic_pucut_{metric}"),
            _histograms(synthetic, PUCUT, metric),
            synthetic_tables.improvement_by_parameter(
                synthetic,
                PUCUT,
                (Contender("nnpu", "own"), Contender("nnpu", "prior")),
                metric,
                f"synthetic_pucut_by_parameter_{metric}",
            ),
        ]
    return tuple(items)


def _few_informative(few: Results, published: Published) -> tuple[Table, ...]:
    """The more columns of noise, the better for trees, which pass over them."""
    items: list[Table] = list(_improvement(few, published))
    for metric in METRICS:
        items += [
            synthetic_tables.improvement_by_parameter(
                few,
                TWO_HNC,
                BENCHMARKS,
                metric,
                f"few_informative_by_features_{metric}",
                ("n_features",),
            ),
            synthetic_tables.improvement_of_pucut(few, metric, f"few_informative_pucut_{metric}"),
        ]
    return tuple(items)


def _by_informative(families: Mapping[str, Results], published: Published) -> Drawing:
    panels = {}
    for metric in METRICS:
        steps, series = synthetic_tables.family_series(families, published, metric)
        panels[METRIC_TITLES[metric]] = series
    return improvements_by_step(
        "informative_features",
        "Improvement of 2-HNC on synthetic datasets by the number of informative features. Filled: "
        "ours, with standard errors; hollow: what the paper prints.",
        panels,
        steps,
        "informative features",
    )


def _networks(synthetic: Results, published: Published) -> tuple[Table, ...]:
    by_parameter = tuple(
        synthetic_tables.improvement_by_parameter(
            synthetic,
            TWO_HNC,
            tuple(Contender(key, "own") for key in synthetic_tables.trained_differently(benchmark)),
            "balanced_accuracy",
            f"networks_{benchmark}_by_parameter",
            ("n_samples", "positive_percent"),
        )
        for benchmark in synthetic_tables.WITH_VARIANTS
    )
    return (
        synthetic_tables.networks_beside_paper(synthetic, published, "networks_beside_paper"),
        *by_parameter,
    )


def _histograms(synthetic: Results, ours: Contender, metric: str) -> Drawing:
    values = {
        f"{ours.title} vs {other.title}": synthetic_tables.all_improvements(
            synthetic, ours, other, metric
        )
        for other in BENCHMARKS
    }
    n_most = max(found.size for found in values.values())
    return histograms(
        f"synthetic_histograms_{ours.method}_{metric}",
        f"Improvement in {METRIC_TITLES[metric]} of {ours.title} on {n_most} synthetic datasets. "
        "Solid line: none; dashed line: the mean.",
        values,
        "improvement (%)",
    )


def _ranks(real: Results, synthetic: Results) -> tuple[Table | Drawing, ...]:
    items: list[Table | Drawing] = []
    for name, results, where in (
        ("real60", real, "real datasets, 60 % labelled, true prior"),
        ("synthetic", synthetic, "synthetic datasets, true prior"),
    ):
        for metric in METRICS:
            ranked = significance_tables.rank_on_datasets(
                results, metric, single_runs=results is synthetic
            )
            items.append(
                significance_tables.ranks_table(ranked, metric, where, f"{name}_ranks_{metric}")
            )
            if ranked is not None:
                contenders, ranking = ranked
                items.append(
                    critical_differences(
                        f"{name}_critical_difference_{metric}",
                        f"Average ranks by {METRIC_TITLES[metric]}, {where}. A bar joins methods "
                        "that the Nemenyi test does not tell apart.",
                        [contender.title for contender in contenders],
                        ranking,
                    )
                )
    return tuple(items)


def _cost(real: Results, synthetic: Results) -> tuple[Table, ...]:
    return (
        reference_tables.cost_table(real, REAL_NAMES, "seconds", "real60_seconds"),
        reference_tables.cost_table(real, REAL_NAMES, "peak_mb", "real60_peak_mb"),
        reference_tables.synthetic_cost_table(synthetic, "seconds", "synthetic_seconds"),
        reference_tables.synthetic_cost_table(synthetic, "peak_mb", "synthetic_peak_mb"),
    )
