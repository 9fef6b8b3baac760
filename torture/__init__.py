"""Hard use by the hour, `python -m torture`; the promises are in `docs/design/reliability.md`."""
