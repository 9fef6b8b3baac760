"""The order of the examples in the gallery: common tasks first, special ones last."""

ORDER = (
    "first_steps.py",
    "in_a_picture.py",
    "biopsies.py",
    "wines.py",
    "your_own_table.py",
    "unknown_prior.py",
    "choosing_a_method.py",
    "next_labelling_round.py",
    "next_labels.py",
    "outliers.py",
    "both_classes.py",
    "cut_outliers.py",
    "your_own_graph.py",
    "large_data.py",
    "report_digits.py",
    "cut_engine.py",
    "all_cuts.py",
    "reproducing_the_paper.py",
    "demo_digits.py",
)


def by_place(file_name: str) -> int:
    return ORDER.index(file_name)
