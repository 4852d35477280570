"""Sphinx: the pages of this folder and the reference from the docstrings."""

import mjstats

project = "mjstats"
author = "the mjstats maintainers"
project_copyright = author
version = release = mjstats.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"mjstats {version}"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
