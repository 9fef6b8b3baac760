"""A slow, obvious PU extra tree: the same random draws, the values themselves, lists of rows.

It knows nothing of codes, of counting in bytes or of threads; the order of the draws is told in
native/trees/tree_grower.hpp.
"""

import itertools
import math
from dataclasses import dataclass, field

MASK = (1 << 64) - 1


class Random:
    """xoshiro256++, its state filled by splitmix64."""

    def __init__(self, seed):
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            mixed = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
            self.state.append(mixed ^ (mixed >> 31))

    @staticmethod
    def rotate(word, by):
        return ((word << by) | (word >> (64 - by))) & MASK

    def bits(self):
        s = self.state
        result = (self.rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = self.rotate(s[3], 45)
        return result

    def unit(self):
        return (self.bits() >> 11) * 2.0**-53

    def below(self, count):
        return ((self.bits() >> 32) * count) >> 32


@dataclass
class Setting:
    risk: str = "nnpu"
    loss: str = "quadratic"
    prior: float = 0.5
    unlabelled_includes_labelled: bool = True
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: int = 1
    max_candidates: int = 1
    max_rows: int | None = None


@dataclass
class Node:
    feature: int = -1
    threshold: float = 0.0
    subset: int = 0
    left: int = -1
    missing_left: bool = False
    rows: list = field(default_factory=list)


class Tree:
    """`X` is a list of rows; `n_categories[j]` is 0 for a column of numbers."""

    def __init__(self, X, is_labelled, rows, n_categories, setting, seed):
        self.X = X
        self.is_labelled = is_labelled
        self.n_categories = n_categories
        self.setting = setting
        self.random = Random(seed)
        rows = self.drawn(list(rows))
        self.n_labelled = sum(is_labelled[i] for i in rows)
        self.n_rest = len(rows) - self.n_labelled
        self.reduction = [0.0] * len(n_categories)
        self.features = list(range(len(n_categories)))
        self.nodes = [Node()]
        self.grow(list(rows), 0, 0, 0)

    def drawn(self, rows):
        """All rows, or one out of each of as many equal stretches as rows are wanted."""
        most = self.setting.max_rows
        if most is None or len(rows) <= most:
            return rows
        labelled = [i for i in rows if self.is_labelled[i]]
        rest = [i for i in rows if not self.is_labelled[i]]
        wanted = min(max(math.floor(len(labelled) / len(rows) * most + 0.5), 1), most - 1)
        sample = []
        for kind, count in ((labelled, wanted), (rest, most - wanted)):
            ends = [len(kind) * i // count for i in range(count + 1)]
            if count == len(kind):
                sample += kind
                continue
            for low, high in itertools.pairwise(ends):
                sample.append(kind[low + self.random.below(high - low)])
        return sample

    def weights(self, rows):
        """W_p and W_p + W_n."""
        s = self.setting
        labelled = sum(self.is_labelled[i] for i in rows)
        rest = len(rows) - labelled
        positive = s.prior * (labelled / self.n_labelled)
        if s.risk == "pn":
            return positive, positive + (1 - s.prior) * (rest / self.n_rest)
        if s.unlabelled_includes_labelled:
            return positive, (labelled + rest) / (self.n_labelled + self.n_rest)
        return positive, rest / self.n_rest

    def risk(self, rows):
        positive, total = self.weights(rows)
        if positive == 0:
            return 0.0
        if total - positive <= 0:
            if self.setting.risk != "upu" or total - positive == 0:
                return 0.0
            if self.setting.loss == "logistic" or total == 0:
                return -math.inf
        v = positive / total
        if self.setting.loss == "quadratic":
            return 4 * total * v * (1 - v)
        return total * (-v * math.log(v) - (1 - v) * math.log(1 - v))

    def fraction(self, rows):
        positive, total = self.weights(rows)
        if positive == 0:
            return 0.0
        return positive / total if total > 0 else math.inf

    def is_leaf(self, rows, depth, risk):
        s = self.setting
        labels = {bool(self.is_labelled[i]) for i in rows}
        lowest = -math.inf if s.risk == "upu" else 0.0
        return (
            len(labels) < 2
            or risk <= lowest
            or (s.max_depth is not None and depth >= s.max_depth)
            or len(rows) < 2 * s.min_samples_leaf
        )

    def grow(self, rows, depth, n_constant, number):
        node = self.nodes[number]
        node.rows = rows
        risk = self.risk(rows)
        cut = None
        if not self.is_leaf(rows, depth, risk):
            cut, n_constant = self.best_cut(rows, n_constant, risk)
        if cut is None:
            node.threshold = self.fraction(rows)
            return
        reduction, node.feature, node.threshold, node.subset, node.missing_left, left = cut
        if math.isfinite(reduction):
            self.reduction[node.feature] += reduction
        node.left = len(self.nodes)
        self.nodes += [Node(), Node()]
        goes_left = set(left)
        self.grow(left, depth + 1, n_constant, node.left)
        right = [i for i in rows if i not in goes_left]
        self.grow(right, depth + 1, n_constant, node.left + 1)

    def best_cut(self, rows, n_constant, risk):
        best = None
        untried_end = len(self.features)
        seen = 0
        while seen < self.setting.max_features and n_constant < untried_end:
            place = n_constant + self.random.below(untried_end - n_constant)
            feature = self.features[place]
            cuts = self.cuts(rows, feature)
            if cuts is None:
                other = n_constant
                n_constant += 1
            else:
                untried_end -= 1
                other = untried_end
                seen += 1
                for threshold, subset, missing_left, left in cuts:
                    n_left = len(left)
                    if min(n_left, len(rows) - n_left) < self.setting.min_samples_leaf:
                        continue
                    goes_left = set(left)
                    right = [i for i in rows if i not in goes_left]
                    reduction = risk - (self.risk(left) + self.risk(right))
                    if best is None or reduction > best[0]:
                        best = (reduction, feature, threshold, subset, missing_left, left)
            features = self.features
            features[place], features[other] = features[other], features[place]
        return best, n_constant

    def cuts(self, rows, feature):
        """(threshold, subset, missing_left, rows to the left); None if nothing varies."""
        values = {i: self.X[i][feature] for i in rows}
        missing = [i for i in rows if values[i] != values[i]]
        present = [i for i in rows if values[i] == values[i]]
        distinct = sorted({values[i] for i in present})
        n_categories = self.n_categories[feature]
        if not distinct or (len(distinct) == 1 and not missing):
            return None
        result = []

        def add(left, threshold, subset):
            if not missing:
                result.append((threshold, subset, len(left) > len(rows) - len(left), left))
                return
            result.append((threshold, subset, False, left))
            both = set(left) | set(missing)
            result.append((threshold, subset, True, [i for i in rows if i in both]))

        if len(distinct) == 1:
            words = (n_categories + 63) // 64
            add(present, distinct[0] if not n_categories else 0.0, (1 << (64 * words)) - 1)
            return result
        for _ in range(self.setting.max_candidates):
            if n_categories:
                subset = self.draw_subset(n_categories, [int(c) for c in distinct])
                add([i for i in present if subset >> int(values[i]) & 1], 0.0, subset)
            else:
                low, high = distinct[0], distinct[-1]
                share = self.random.unit()
                threshold = low * (1 - share) + high * share
                if not low <= threshold < high:
                    threshold = low
                add([i for i in present if values[i] <= threshold], threshold, 0)
        return result

    def draw_subset(self, n_categories, present):
        subset = 0
        for word in range((n_categories + 63) // 64):
            subset |= self.random.bits() << (64 * word)
        if len({subset >> c & 1 for c in present}) == 1:
            subset ^= 1 << present[self.random.below(len(present))]
        return subset
