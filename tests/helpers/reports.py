"""What the tests of reports share: both estimators, names that would break a page, and sizes."""

from html.parser import HTMLParser

from pucut import PUCutClassifier, TwoHNCClassifier
from pucut.data.row_order import renumbered_graph

HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>"
QUOTED = 'comma, "quote"\nand a line'
N_ROWS = 300
N_DRAWN = 120


def fit_both(X, y):
    """The two estimators that have a report, by the name of their method."""
    return {
        "pucut": PUCutClassifier(prior=0.5, n_estimators=20, random_state=0).fit(X, y),
        "2-HNC": TwoHNCClassifier(prior=0.5, n_estimators=20, random_state=0).fit(X, y),
    }


def shown_graph(model):
    """The graph whose neighbours are shown: the only one, or that of the cut with most weight."""
    if isinstance(model, TwoHNCClassifier):
        return model.graph_
    weights = model.mixture_.cut_weights
    cut = next(c for c, w in zip(model.mixture_.cuts, weights, strict=True) if w == max(weights))
    return renumbered_graph(cut.space.graph(cut.n_neighbors), model.row_order_)


class Parsed(HTMLParser):
    """Elements and the text a reader sees; what stands in scripts is kept apart."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.attributes, self.text = [], [], [], ""
        self._open = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag in ("script", "style"):
            self._open = tag
            self.scripts.append("")

    def handle_endtag(self, tag):
        if tag == self._open:
            self._open = None

    def handle_data(self, data):
        if self._open:
            self.scripts[-1] += data
        else:
            self.text += data


def parse(text):
    """A page as a reader without its script has it."""
    return Parsed(text)
