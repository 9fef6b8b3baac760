"""The parsers of the subcommands, made from `commands.toml`.

The work of a subcommand is in the module of its name in this folder. That is imported when it runs,
and nothing here imports anything heavy, so that every `--help` is quick.
"""

import argparse
import tomllib
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from pucut._support.devices import ALLOWED, DEVICE
from pucut.cli._voice import Voice
from pucut.methods import METHOD_BY_SLUG
from pucut.tables.numerals import float_of

_TEXTS = tomllib.loads(files("pucut.cli").joinpath("commands.toml").read_text(encoding="utf-8"))
COMMANDS: dict[str, dict[str, Any]] = _TEXTS["commands"]
# The methods of `estimate_prior`, whose module takes long to import.
PRIOR_METHODS = ("auto", "bbe", "clusters", "dedpul", "elkan_noto", "km2", "tice")
# The method of `pucut rank` that ranks as `pucut label` does.
AS_LABEL = "label"
_METHODS = ", ".join(METHOD_BY_SLUG)


def add_command(commands: Any, name: str) -> None:
    """Add the parser of a subcommand; its description is shown as written."""
    command = COMMANDS[name]
    parser = commands.add_parser(
        name,
        help=command["summary"],
        description=command["about"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=partial(_run, name))
    groups = {"": parser}
    for place in ("every", *command["options"]):
        heading, _, options = place.rpartition("/")
        if heading not in groups:
            about = _TEXTS["headings"].get(heading)
            groups[heading] = parser.add_argument_group(heading, about)
        for written, keywords in _TEXTS["options"][options].items():
            _add_option(groups[heading], written, keywords)


def _run(name: str, arguments: argparse.Namespace) -> int:
    """Run a command, whose module is imported only now."""
    return int(import_module(f"pucut.cli.{name}").run(arguments, Voice(arguments.quiet)))


def _add_option(group: Any, written: str, keywords: str | dict[str, Any]) -> None:
    """Add an option of `commands.toml`, whose key has its names and its value."""
    given: dict[str, Any] = {"help": keywords} if isinstance(keywords, str) else dict(keywords)
    given["help"] = given["help"].replace("{methods}", _METHODS)
    words = written.split()
    names = [word for word in words if word.startswith("--")] or words
    value = words[len(names) :]
    if value:
        given["metavar"] = value[0]
    elif names[0].startswith("--") and "choices" not in given:
        given["action"] = "store_true"
    if value[1:] == ["..."]:
        given |= {"action": "append", "default": []}
    if "type" in given:
        given["type"] = _TYPES[given["type"]]
    if isinstance(given.get("choices"), str):
        given["choices"] = _CHOICES[given["choices"]]
    group.add_argument(*names, **given)


def _device(text: str) -> str:
    if not DEVICE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"must be {ALLOWED}, found {text!r}")
    return text


def _prior(text: str) -> float | str:
    if text == "auto":
        return text
    value = (float_of(text.rstrip("%")) or -1.0) / (100.0 if text.endswith("%") else 1.0)
    if 0.0 < value < 1.0:
        return value
    allowed = "auto or a number above 0 and below 1"
    raise argparse.ArgumentTypeError(f"must be {allowed}, found {text!r}")


def _methods(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in METHOD_BY_SLUG]
    if unknown or not names:
        found = ", ".join(unknown) or text
        raise argparse.ArgumentTypeError(f"must name some of {_METHODS}, found {found!r}")
    return [METHOD_BY_SLUG[name] for name in names]


_TYPES = {"int": int, "device": _device, "methods": _methods, "prior": _prior}
_CHOICES = {
    "methods": [*METHOD_BY_SLUG],
    "rankings": [*METHOD_BY_SLUG, AS_LABEL],
    "prior methods": PRIOR_METHODS,
}
