"""A report on a fitted PU classifier: one HTML file that needs nothing else.

`summarise` makes a plain dict of a fitted estimator, `render` a page of the dict, and `write` a
file of that. All are pure but the last, and the dict is all the page knows, so it can be kept as
JSON and rendered later::

    summary = summarise(estimator, X, y)
    write("report.html", summary)

The dict, schema "pucut-report/4"; arrays are packed, {"type": ..., "base64": ...}, and `unpacked`
reads them. n is the number of rows on the page, by default at most 20 000; rows are named by their
places there, from 0. What a method cannot say is null::

    schema, version       of this dict, and of pucut
    method, explanation   its name, and what it does in a sentence or two
    is_by_prior           whether the prior sets the threshold, and not the method's own rule
    data                  source (the file's name), n_samples, n_labelled, n_negative (known
                          negatives), n_unlabelled, n_columns (of the file), n_features (columns of
                          X), n_encoded (features after encoding), is_pairwise, label_name,
                          positive and unlabelled (the values that mark rows), word (for what
                          positives are)
    listed                n_rows on the page; text: which these are, null if all are there
    prior                 value, is_given, interval or null, method, is_upper_bound, upper_bound,
                          doubts (why it is a guess, by name), text
    suspects              columns that tell which rows were labelled: column, kind ("filled",
                          "empty", "value", "range"), text
    labelling             whether known positives look like a random draw: is_random_draw (null if
                          that cannot be told), columns that differ, finding and meaning in words;
                          null if it was not checked
    n_positive            rows that are classified as positive, the labelled ones included
    certainty             by probabilities: expected (positives among the rows found), missed (among
                          the others), n_sure (found with 90 % or more), n_close (below 60 %)
    hidden                pucut: recall, of known positives that were hidden, and standard_error,
                          how far that of positives that nobody knows may be from it
    graph                 the one whose neighbours are shown: n_neighbors, n_edges, similarity,
                          sigma (null where it follows from the distances), neighbor_recall (null
                          where unknown). Of pucut it is that of the cut with most weight: name and
                          weight of this cut; where no cut has weight, name is that of a space
    partition             2-HNC: stage, step (its place in that stage), lam, n_likely_negative,
                          n_unreached
    selection             pucut: for each score and cut that was tried, and last for the mixture of
                          them, its name, kind ("score", "cut" or "mixture"), hidden_recall and
                          standard_error (null if nothing could be hidden), weight, why
    settings              parameters of the estimator, as texts
    seconds               steps of fit
    stages                2-HNC: two dicts: stage; lam and n_positive of each step at which a row
                          of the page turns, by rising lambda; turn of each row: the last step at
                          which it is positive (stage 1; -1 for rows that never are) or the first
                          (stage 2; the number of steps for these); duality_gap
    rows                  number (of each row in the table, null if all are on the page), ids or
                          null (then rows have their numbers), and arrays of length n:
                          is_labelled, is_known_negative (null if none is), is_positive,
                          probability, score, turning_prior (from which on the row is positive, 0
                          if labelled, infinite if known to be negative); with a graph: n_edges,
                          share_to_positive (of the weight of its edges; -1 without any),
                          towards_label (the next row on the strongest chain to a label, or -1; -2
                          if it is not on the page);
                          2-HNC: is_likely_negative, is_reached, negative_place (in the ranking,
                          from 1; 0 for labelled rows); rank (among all unlabelled rows, from 1;
                          0 for known ones); order: all rows, the most likely positives first;
                          neighbor and neighbor_weight: of length n times n_listed_neighbors, the
                          nearest labelled rows, -1 for none, -2 if not on the page
    plane                 the map: x and y (0 to 65535, y upwards), ratio of width and height,
                          explained, n_beyond (drawn on the edge), drawn (rows), n_drawn
    probabilities         of all rows: counts in 20 bins and means, by group: the known positives,
                          the rows found, the others and, if there are any, the known negatives
    found_by_prior        n_found for 201 priors from 0 to 1; at_interval, the ends of the prior's;
                          null where the prior does not set the threshold
    kinds                 how many columns of the file are numbers, categories, dates ...
    columns               those with most weight, or that separate most: name, kind ("number",
                          "category", "date": days since 1970, "text": a direction in its words),
                          text (the same in words), weight, n_missing,
                          values (places in categories, where these are not null; NaN is missing),
                          mean, mean_labelled, deviation, usual, usual_labelled (the most frequent
                          categories), separation (of the rows found from the others, 0 to 1),
                          distribution (edges of bins or values, with counts and medians of the
                          groups)
    space                 pucut: what the space is called that has the weights
    weights               name and weight of all columns of the file, heaviest first; empty without
                          weights
    sensitivity           for each move of the prior: move, prior, is_possible, and where it is:
                          to_positive, to_negative (rows), n_to_positive, n_to_negative
    alerts                kind, text, and rows that it is about, or null
"""

from pucut.report.columns import ColumnSource
from pucut.report.packing import unpacked
from pucut.report.page import render, write
from pucut.report.summary import SCHEMA, summarise

__all__ = ["SCHEMA", "ColumnSource", "render", "summarise", "unpacked", "write"]
