"""The share of positive rows for every lambda of both stages, on breast cancer."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from pucut import CutPathDisplay, NegativeRankingDisplay, TwoHNCClassifier
from pucut.datasets import pu_split

X, benign = load_breast_cancer(return_X_y=True)
is_benign = benign == 1
y = pu_split(is_benign, 0.4, random_state=0)
model = TwoHNCClassifier(prior=is_benign.mean(), random_state=0).fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
CutPathDisplay.from_estimator(model, ax=axes[0])
NegativeRankingDisplay.from_estimator(model, ax=axes[1])
