"""Hard use by the hour, `python -m torture`; what is promised: `docs/design/reliability.md`."""
