"""
Large data
==========

The settings for many rows, and the growth of time. The sizes here are small, so that the
page is built quickly; times are shown as ratios, since seconds are those of one machine.
"""

# %%
# Four settings matter:
#
# - ``neighbors="approximate"`` finds most of the nearest neighbours without looking at all pairs;
#   ``neighbor_recall_`` is the share of the true ones that was found. The default, "auto", does so
#   by itself where an exact search would be slow.
# - Tables of ``float32`` take half the memory.
# - ``n_jobs=-1`` uses all processors. Results do not depend on it by a single bit.
# - ``prior=`` a number, where it is known, spares the estimate. Of more than 20 000 rows the
#   estimate draws that many, so that its time stops growing.

import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
from sklearn.datasets import make_classification

from pucut import TwoHNCClassifier
from pucut.datasets import pu_split

SIZES = (4000, 8000, 16000)


def table_of(n_rows):
    X, y = make_classification(
        n_rows, 20, n_informative=10, n_clusters_per_class=2, class_sep=1.5, random_state=0
    )
    return X.astype(np.float32), y == 1


seconds, steps, accuracy, recall = [], [], [], []
for n_rows in SIZES:
    X, is_positive = table_of(n_rows)
    known = pu_split(is_positive, 0.3, random_state=0)
    model = TwoHNCClassifier(
        prior=is_positive.mean(),
        n_neighbors=5,
        sigma=0.25,
        neighbors="approximate",
        n_jobs=-1,
        random_state=0,
    )
    start = time.perf_counter()
    model.fit(X, known)
    seconds.append(time.perf_counter() - start)
    steps.append(model.step_seconds_)
    accuracy.append(np.mean((model.transduction_ == is_positive)[~known]))
    recall.append(model.neighbor_recall_)

print("   rows   time, the first being 1   accuracy   neighbours found")
for place, n_rows in enumerate(SIZES):
    ratio = seconds[place] / seconds[0]
    print(f"{n_rows:7d}{ratio:26.1f}{accuracy[place]:11.1%}{recall[place]:19.1%}")

# %%
# The time by stage, for the largest of them. The cuts, of both stages and for every lambda, take
# a small part of it.

names, took = zip(*steps[-1].items(), strict=True)
figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh(names, np.array(took) / sum(took), color="#1f6f9f")
ax.set(xlabel="share of the time of fit")
ax.xaxis.set_major_formatter(PercentFormatter(1.0))
ax.invert_yaxis()
plt.show()

# %%
# With ``verbose=1`` the steps are printed as they run. With PyTorch and a GPU,
# ``device="cuda"`` searches exactly and is faster still.
