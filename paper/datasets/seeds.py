"""Seeds from names, so that a run does not depend on the order of runs."""

import hashlib


def seed_from_names(*names: object) -> int:
    """A seed that depends on the names of a run alone, not on the order of runs."""
    text = "/".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")
