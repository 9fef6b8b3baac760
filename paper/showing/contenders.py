"""The contenders of tables: methods, each with the rule that turns its scores into classes."""

from dataclasses import dataclass

from paper.methods import COMPARED, METHODS, Rule, with_role


@dataclass(frozen=True)
class Contender:
    """A method with the rule that turns its scores into classes."""

    method: str
    rule: Rule

    @property
    def method_title(self) -> str:
        return METHODS[self.method].title

    @property
    def title(self) -> str:
        return self.method_title if self.rule == "own" else f"{self.method_title}, prior"


(_OURS,), (_OF_THE_PAPER,) = with_role("ours"), with_role("paper")
PUCUT = Contender(_OURS, "own")
TWO_HNC = Contender(_OF_THE_PAPER, "own")
# The paper's columns, its own method last.
BENCHMARKS = tuple(Contender(method, "own") for method in with_role("benchmark"))
PUBLISHED = (*BENCHMARKS, TWO_HNC)
# Every method by the rules it is shown by.
ALL = tuple(Contender(key, rule) for key in COMPARED for rule in METHODS[key].rules)
# Without the oracle, which sees the true classes.
FAIR = tuple(one for one in ALL if METHODS[one.method].role != "ceiling")
# The methods that pucut is compared with.
OTHERS = tuple(one for one in FAIR if one.method != PUCUT.method)
RANKED = tuple(one for one in ALL if one.rule in METHODS[one.method].ranked_by)
