"""The chooser: scores smoothed by cuts, judged by hidden positives."""

from pucut.judging.weights import Candidate
from pucut.methods.pu_cut._choosing import Mixture
from pucut.methods.pu_cut.classifier import PUCutClassifier

__all__ = ["Candidate", "Mixture", "PUCutClassifier"]
