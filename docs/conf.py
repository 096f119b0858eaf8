"""Settings of the documentation site. Nothing is fetched: the build works without a network."""

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "Agg")

from treatise import __version__  # noqa: E402

project = "Treatise"
author = "The Treatise developers"
copyright = author
version = release = __version__
language = "en_GB"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "treatise_pages",
]
exclude_patterns = ["_build", "_templates", "gallery"]
templates_path = ["_templates"]
default_role = "literal"
highlight_language = "python"

autosummary_generate = False  # treatise_pages writes the pages, from the packages' own __all__
autodoc_typehints = "none"  # the docstrings give the types, in words
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["examples"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "_generated/backreferences",
    "doc_module": ("treatise",),
    "reference_url": {"treatise": None},
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "image_srcset": ["2x"],
}
# The gallery draws without a screen on purpose, which matplotlib remarks upon.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

html_theme = "pydata_sphinx_theme"
html_title = "Treatise"
html_static_path = ["_static"]
html_css_files = ["treatise.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Treatise", "image_light": "_static/mark.svg", "image_dark": "_static/mark-dark.svg"},
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"*": [], "*/**": ["siblings"]}  # pages at the top have no siblings to list
