"""What packages are made of, as far as that shows without making one: options that the build has, packages that tools/setup installs, and
the recipe for conda, whose tests are run with an installed rhomb. (No test makes a package; tools/packaging/README.md says what was seen.)
"""
import re
import subprocess
import sys

import pytest

from conftest import ROOT

CMAKE = (ROOT / "CMakeLists.txt").read_text()
PACKAGING = ROOT / "tools" / "packaging"
VERSION = re.search(r"^project\(rhomb VERSION ([0-9.]+)", CMAKE, re.M)[1]


def test_options_are_those_of_the_build():
    known = set(re.findall(r"^(?:option|set)\((RHOMB_\w+)", CMAKE, re.M))
    files = [PACKAGING / "debian/rules", PACKAGING / "conda/build.sh", ROOT / "tools/bundle", ROOT / "pyproject.toml"]
    for file in files:
        named = set(re.findall(r"-D(RHOMB_\w+)=|(RHOMB_\w+) = \"", file.read_text()))
        names = {one or other for one, other in named}
        assert names and names <= known, file


def test_debian_builds_with_what_setup_installs():
    """Else dpkg-buildpackage stops."""
    control = (PACKAGING / "debian/control").read_text()
    needed = re.search(r"^Build-Depends: (.*?)\n(?=\S)", control, re.M | re.S)[1]
    names = {re.split(r"[ (<]", one.strip())[0] for one in needed.split(",")}
    names = {{"debhelper-compat": "debhelper", "dh-sequence-python3": "dh-python"}.get(name, name) for name in names}
    setup = (ROOT / "tools/setup").read_text()
    installed = {name for which in ("build", "package") for name in re.search(rf"^{which}=\((.*?)\)", setup, re.M | re.S)[1].split()}
    assert names <= installed
    # Whatever a package is to have, its list names: nothing is left out, nothing is there for no package.
    packages = set(re.findall(r"^Package: (\S+)", control, re.M))
    assert {path.name.rsplit(".", 1)[0] for path in (PACKAGING / "debian").glob("*.install")} == packages


@pytest.fixture(scope="module")
def recipe():
    """meta.yaml as conda reads it for Linux."""
    yaml = pytest.importorskip("yaml", reason="needs python3-yaml")
    text = (PACKAGING / "conda/meta.yaml").read_text()
    loads = r"{% set version = load_file_regex\(load_file=\"(.*?)\", regex_pattern=\"(.*?)\", from_recipe_dir=True\)\.group\(1\) %}\n"
    file, pattern = re.search(loads, text).groups()
    version = re.search(pattern, (PACKAGING / "conda" / file).read_text())[1]
    text = re.sub(loads, "", text).replace("{{ version }}", version)
    text = re.sub(r"^.*# \[not linux\]\n", "", text, flags=re.M)
    text = re.sub(r"{{ (compiler|pin_subpackage)\(\"(\w+)\".*?\) }}", r"\2", text)
    assert "{{" not in text and "{%" not in text
    return yaml.safe_load(text)


def test_conda_recipe(recipe):
    sections = {"package": {"name", "version"}, "source": {"path"}, "build": {"number", "run_exports"},
                "requirements": {"build", "host", "run"}, "test": {"commands"},
                "about": {"summary", "license", "license_family", "license_file", "doc_source_url"}, "extra": {"container"}}
    assert {name: set(section) for name, section in recipe.items()} == sections
    assert recipe["package"] == {"name": "rhomb", "version": VERSION} and recipe["build"]["number"] == 0
    source = (PACKAGING / "conda" / recipe["source"]["path"]).resolve()
    assert source == ROOT and (source / recipe["about"]["license_file"]).is_file()
    for section in recipe["requirements"].values():
        assert all(re.fullmatch(r"[a-z_0-9-]+( [<>=]+[0-9.]+)?", name) for name in section)
    subprocess.run(["bash", "-n", PACKAGING / "conda/build.sh"], check=True)


def test_conda_tests(recipe, program, environment, tmp_path):
    build = program.parent
    if not (build / "CMakeCache.txt").is_file():
        pytest.skip(f"{program} is not in the folder that it was built in")
    prefix = tmp_path / "prefix"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True, timeout=120)
    environment = {**environment, "PREFIX": str(prefix), "PATH": f"{prefix}/bin:{environment['PATH']}"}
    for command in recipe["test"]["commands"]:
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=120)


def test_wheels():
    """What cibuildwheel is told, by the words that it knows, for a Python that the package is for."""
    if sys.version_info < (3, 11):
        pytest.skip("tomllib needs Python 3.11")
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    told = project["tool"]["cibuildwheel"]
    oldest = project["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert told["build"].split() == [f"cp{oldest}-manylinux_{machine}" for machine in ("x86_64", "aarch64")]
    assert set(told) == {"build", "test-command", "linux"}
    assert set(told["linux"]) == {"manylinux-x86_64-image", "manylinux-aarch64-image", "before-all"}
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == f"cp{oldest}"
