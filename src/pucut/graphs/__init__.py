"""From points to a graph of similarities: neighbours, weights, weighted spaces."""
