"""What packages are made of, as far as that shows without making one: options that the build has, packages that tools/setup installs, what
tools/package writes, and the recipe for conda, whose tests are run with an installed rhomb. (No test compiles for a package;
tools/packaging/README.md says what was seen.)
"""
import os
import re
import shutil
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


def put(path, lines):
    """A program of a shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + lines)
    path.chmod(0o755)


@pytest.fixture
def package(tmp_path):
    """tools/package in a tree that has just what it reads, on a machine without git whose host has a name but no address; what would be built
    is not, dpkg-buildpackage leaves empty packages."""
    if sys.platform != "linux" or not shutil.which("bash"):
        pytest.skip("for Debian")
    tree, programs = tmp_path / "tree", tmp_path / "programs"
    (tree / "tools/packaging").mkdir(parents=True)
    shutil.copy(ROOT / "CMakeLists.txt", tree)
    shutil.copy(ROOT / "tools/package", tree / "tools")
    shutil.copytree(PACKAGING / "debian", tree / "tools/packaging/debian")
    put(tree / "tools/setup", "")
    put(programs / "git", "exit 127\n")
    put(programs / "hostname", '[ $# -eq 0 ] || { echo "hostname: Name or service not known" >&2; exit 1; }\necho box\n')
    put(programs / "dpkg-buildpackage", f"touch ../rhomb_{VERSION}_all.deb\necho \"profiles: $DEB_BUILD_PROFILES\"\n")
    environment = {name: value for name, value in os.environ.items() if name not in ("DEBFULLNAME", "DEBEMAIL", "DEB_BUILD_PROFILES")}
    environment["PATH"] = f"{programs}:{environment['PATH']}"

    def run(**more):
        done = subprocess.run([tree / "tools/package", "deb"], env={**environment, **more}, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done

    run.tree, run.programs, run.debian = tree, programs, tree / f"build/package/rhomb-{VERSION}/debian"
    return run


def names(package):
    """Whom control and changelog name, which is one."""
    [control] = re.findall(r"^Maintainer: (.*)$", (package.debian / "control").read_text(), re.M)
    [changelog] = re.findall(r"^ -- (.*?)  \w{3}, ", (package.debian / "changelog").read_text(), re.M)
    assert control == changelog
    return control


def test_packages_name_who_builds_them(package):
    """By a whole address. One that was made up is told of, as nobody reads it."""
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    done = package()
    assert names(package) == f"{user} <{user}@box>"
    assert "set DEBFULLNAME and DEBEMAIL" in done.stderr and "git" not in done.stderr and "hostname:" not in done.stderr
    put(package.programs / "hostname", "echo box.example.org\n")
    package()
    assert names(package) == f"{user} <{user}@box.example.org>"
    put(package.programs / "git", '''case "$*" in
"config user.name") echo Ann Other ;;
"config user.email") echo ann@example.org ;;
*) exit 1 ;;
esac
''')
    done = package()
    assert names(package) == "Ann Other <ann@example.org>" and "DEBEMAIL" not in done.stderr
    package(DEBFULLNAME="A / B & C", DEBEMAIL="abc@example.org")
    assert names(package) == "A / B & C <abc@example.org>"


def test_packages_of_this_version_and_day(package):
    dist = package.tree / "dist"
    dist.mkdir()
    (dist / "rhomb_0.0.1_all.deb").touch()
    done = package(SOURCE_DATE_EPOCH="86400", TZ="UTC0", LC_ALL="C")
    changelog = (package.debian / "changelog").read_text()
    assert changelog.startswith(f"rhomb ({VERSION}) unstable; ") and changelog.endswith("  Fri, 02 Jan 1970 00:00:00 +0000\n")
    assert [path.name for path in dist.iterdir()] == [f"rhomb_{VERSION}_all.deb"]
    # Where there is no nanobind, that is said, and no python3-rhomb is made.
    assert "without python3-rhomb" in done.stderr and "profiles:  nopython" in done.stdout
    (package.tree / "build/nanobind/nanobind").mkdir(parents=True)
    (package.tree / "build/nanobind/nanobind/__init__.py").touch()
    done = package()
    assert "without python3-rhomb" not in done.stderr and "profiles: \n" in done.stdout
    assert (package.debian.parent / "build/nanobind/nanobind/__init__.py").is_file()


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
