"""PU Extra Trees, and the weights of features that come from them."""
