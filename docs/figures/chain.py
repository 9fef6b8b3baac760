"""A chain of nodes: pulls and levels, the nested cuts, and the flow that certifies them."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from pucut import parametric_cut

BLUE, RUST, GREY = "#1f6f9f", "#b5532a", "#7a7a7a"
N, WEIGHT = 40, 0.35

random = np.random.default_rng(4)
pull = np.repeat([0.25, 0.75, 0.5, 0.15], 10) + random.normal(scale=0.12, size=N)
pull = np.clip(pull, 0.02, 0.98)
chain = sp.diags_array([np.full(N - 1, WEIGHT)] * 2, offsets=[-1, 1], format="csr")
nothing, ones = np.zeros(N), np.ones(N)
path = parametric_cut(chain, source=(pull, nothing), sink=(nothing, ones))
level = path.switch
# The flow from a node to the next is the excess of the nodes up to it.
flow = np.cumsum(pull - level)[:-1]

node = np.arange(N)
figure, (top, middle, bottom) = plt.subplots(
    3, 1, figsize=(8, 6.6), sharex=True, layout="constrained", height_ratios=[3, 1.6, 2]
)
top.plot(node, pull, "o", color=GREY, markersize=4, label="pull b of each node")
top.step(node, level, where="mid", color=BLUE, linewidth=2, label="level x")
lams = (0.3, 0.45, 0.6)
for lam in lams:
    top.hlines(lam, -1, N - 0.7, color=RUST, linewidth=0.8, linestyle=":")
    top.annotate(f"λ = {lam}", (N - 0.4, lam), color=RUST, fontsize=8, va="center")
top.set(ylabel="λ", title="The levels", xlim=(-1, N + 2.5))
top.legend(fontsize=8, loc="upper right")

for place, lam in enumerate(lams):
    inside = path.source_set(lam)
    middle.scatter(node[inside], np.full(inside.sum(), place), color=BLUE, s=26, marker="s")
    middle.scatter(node[~inside], np.full((~inside).sum(), place), color="0.85", s=26, marker="s")
middle.set(
    yticks=range(len(lams)),
    yticklabels=[f"λ = {lam}" for lam in lams],
    ylim=(-0.6, len(lams) - 0.4),
    title="Three of the cuts: where the level is at least λ",
)

full = np.isclose(np.abs(flow), WEIGHT, atol=1e-9)
bottom.bar(node[:-1] + 0.5, flow, color=np.where(full, RUST, "0.75"), width=0.7)
for end in (-WEIGHT, WEIGHT):
    bottom.axhline(end, color=GREY, linestyle="--", linewidth=0.8)
bottom.set(
    xlabel="node",
    ylabel="flow",
    title="The flow; full edges are those that are cut",
)
