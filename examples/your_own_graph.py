"""
Your own graph
==============

Sometimes there is no table, only relations: citations, friendships, interactions of proteins. Or
the similarity is one that no table of numbers gives. 2-HNC works on any graph.
"""

# %%
# A network
# ---------
#
# 500 people know those who live near them; where they live is not known to us, only who knows whom.
# The similarity of two people who know each other is the number of acquaintances they share. This
# is a symmetric sparse matrix. A tenth of the people of one of two neighbourhoods are known.

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_moons
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

from pucut import CutPathDisplay, TwoHNCClassifier
from pucut.datasets import pu_split

N = 500
homes, moon = make_moons(N, noise=0.13, random_state=3)
lives_there = moon == 0
acquainted = radius_neighbors_graph(homes, 0.2).tocsr()
graph = sp.csr_array(acquainted.multiply(acquainted @ acquainted))
graph.eliminate_zeros()
y = pu_split(lives_there, 0.1, random_state=0)
print(f"{N} people, {graph.nnz // 2} pairs, {y.sum()} people known")

# %%
# ``similarity="precomputed"`` takes the matrix instead of a table. There are no features, so the
# prior cannot be estimated from them; pass it.

model = TwoHNCClassifier(similarity="precomputed", prior=lives_there.mean(), random_state=0).fit(
    graph, y
)
right = model.transduction_[~y] == lives_there[~y]
print(f"{right.mean():.1%} of the others are classed rightly")
print(f"people without any chain to a known one: {model.n_unreached_}")

# %%
# All minimum cuts of both stages: every step is a value of lambda at which people change side.

CutPathDisplay.from_estimator(model)

# %%
# New people are described by their similarities to the training rows, one row per person.

new = np.zeros((2, N))
new[0, np.flatnonzero(lives_there)[:5]] = 1.0
new[1, np.flatnonzero(~lives_there)[:5]] = 1.0
print(model.predict(sp.csr_array(new)))

# %%
# Your own distances
# ------------------
#
# ``neighbors="precomputed"`` takes a sparse graph of distances, as scikit-learn's tools make them,
# with a metric of your choice. Such a graph holds neighbours only, as many as ``n_neighbors`` asks
# for or more. ``sigma`` is the width of the kernel in the unit of the distance.

X, digit = load_digits(return_X_y=True)
is_odd = digit % 2 == 1
known = pu_split(is_odd, 0.3, random_state=0)
distances = kneighbors_graph(X, 10, mode="distance", metric="cosine")
by_angle = TwoHNCClassifier(
    neighbors="precomputed",
    n_neighbors=10,
    sigma=float(np.median(distances.data)),
    prior=is_odd.mean(),
    random_state=0,
).fit(distances, known)
right = by_angle.transduction_[~known] == is_odd[~known]
print(f"digits, by the angle between them: {right.mean():.1%} of the unlabelled ones right")
plt.show()
