"""Settings of Sphinx; `make docs` builds into build/docs/html."""

import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "docs"

project = "pucut"
author = "The pucut developers"
copyright = "The pucut developers"
release = version = installed_version("pucut")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "sphinxext.opengraph",
    "directives",
    "llms",
]
exclude_patterns = ["gallery/**/*.ipynb", "gallery/**/*.zip"]
templates_path = ["_templates"]
highlight_language = "none"  # where a block does not name its language

# `name` in a docstring is a link where there is something of that name, and code elsewhere. Roles
# that say what they mean, as :func:`name`, have to be right.
default_role = "py:obj"
nitpick_ignore_regex = [("py:obj", r".*")]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

smartquotes = False  # "auto" is a value, not a quotation

autosummary_generate = True
autodoc_typehints = "none"
autodoc_default_options = {"member-order": "bysource"}
numpydoc_show_class_members = False

# Example files are in examples/, and become pages of docs/gallery.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(?!demo_digits)\w+\.py$",
    "within_subsection_order": "gallery_order.by_place",
    "download_all_examples": False,
    "show_signature": False,
    "capture_repr": (),
    "remove_config_comments": True,
    "reference_url": {"pucut": None},
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("pucut",),
    "default_thumb_file": str(HERE / "images" / "two_moons.png"),
    "min_reported_time": 0,
    "write_computation_times": False,
}

plot_formats = [("svg", 72)]
plot_html_show_source_link = False
plot_html_show_formats = False
plot_basedir = str(HERE)

# The preview of links to a page.
html_baseurl = os.environ.get(
    "READTHEDOCS_CANONICAL_URL", "https://pucut.readthedocs.io/en/stable/"
)
ogp_site_url = html_baseurl
ogp_site_name = project
ogp_image = html_baseurl + "_static/social_card.png"
ogp_image_alt = "Points of two classes, some of them known, and the classes found"
ogp_social_cards = {"enable": False}  # one picture for all pages, by docs/images/make_pictures.py

html_theme = "furo"
# Which version these pages are of. Read the Docs adds the menu of all versions when it serves them.
html_title = f"pucut {release}"
html_static_path = ["_static", "images/social_card.png"]
html_css_files = ["pucut.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
# The report that `make docs` writes first, to be opened from docs/report.md.
html_extra_path = [str(BUILD / "extra")] if (BUILD / "extra").is_dir() else []
