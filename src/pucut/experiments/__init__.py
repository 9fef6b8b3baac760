"""The paper's experiments: what is run (protocol, methods), how (work, runner), and what of it.

runs -> prior steps -> work -> raw results -> rows -> tables, figures, one page
"""
