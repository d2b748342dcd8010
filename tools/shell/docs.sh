# The documentation site: Doxygen reads the headers, Sphinx, in an environment of its own, makes the pages.

build_docs() {
    local folder=$build_root/docs environment=$build_root/docs/environment
    mkdir -p "$folder"
    if ! "$environment/bin/python" -c 'import sphinx, furo, myst_parser, sphinx_copybutton' 2> /dev/null; then
        say "installing Sphinx and its theme from PyPI into ${environment#"$root"/}"
        python3 -m venv "$environment" &&
            "$environment/bin/pip" install --quiet --retries 1 -r "$root/tools/docs/requirements.txt" ||
            die "pip does not bring what tools/docs/requirements.txt names (a python without venv: install python3-venv)"
    fi
    say "building the site"
    "$environment/bin/python" "$root/tools/docs/site.py" "$folder" || die "the site has faults: they are named above"
    echo "$(cd "$folder" && pwd)/html/index.html"
}
