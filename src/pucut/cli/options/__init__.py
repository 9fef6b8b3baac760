"""What can be typed: a module for each subcommand, with its help and its options.

What a subcommand does is in the module of the same name one folder up. It is imported when it runs,
and nothing here imports anything heavy, so that every `--help` is quick.
"""
