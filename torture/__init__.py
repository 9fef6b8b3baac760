"""Hard use, by the hour: `python -m torture`. `docs/design/reliability.md` says what is promised."""
