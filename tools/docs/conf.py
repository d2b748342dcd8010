# Sphinx's configuration. site.py writes the sources beside a copy of this file, and says in the environment what it knows.
import os

from sphinx.domains.cpp import CPPDomain

project = "kogge"
author = "the authors of kogge"
project_copyright = "the authors of kogge; Apache-2.0"
version = release = os.environ["KOGGE_VERSION"]

extensions = ["myst_parser", "sphinx_copybutton"]
cpp_index_common_prefix = ["kogge::"]
cpp_maximum_signature_line_length = c_maximum_signature_line_length = python_maximum_signature_line_length = 140
add_module_names = False
primary_domain = "cpp"
highlight_language = "cpp"
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 3
# A name of the standard library or of CUDA is a link to nowhere.
nitpicky = False

html_theme = "furo"
html_title = f"kogge {version}"
html_static_path = ["style"]
html_css_files = ["kogge.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b6e4f", "color-brand-content": "#0b6e4f"},
    "dark_css_variables": {"color-brand-primary": "#5fd0a5", "color-brand-content": "#5fd0a5"},
}
pygments_style = "a11y-light"
pygments_dark_style = "github-dark"


class DeclarationsOnly(CPPDomain):
    """The search finds what is declared, and not each parameter of that name's functions."""

    def get_objects(self):
        return (found for found in super().get_objects() if not found[2].endswith("Param"))


def setup(app):
    app.add_domain(DeclarationsOnly, override=True)
