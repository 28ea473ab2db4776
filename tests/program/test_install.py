"""An installed rhomb: the program runs from there, and a project of somebody else's finds the package, includes
every header and calls every verb of the library."""
import os
import subprocess

import pytest

CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(user CXX)
find_package(rhomb REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE rhomb::rhomb)
"""

MAIN = """
#include <iostream>

int main() {
  rhomb::Devices devices;
  std::cout << "distance " << *devices.distance("GATTACA", "GATTTACCA").distance << std::endl;

  const rhomb::seq::Batch guides = {{"guide", "GATTACA"}, {"other", "GGTTAC"}};
  const rhomb::seq::Batch genome = {{"genome", "TTTTTGATTACATTTT"}};
  rhomb::DistanceOptions each;
  each.all_pairs = true;
  devices.distances(guides, genome, each, [](const rhomb::PairDistance& pair) {
    std::cout << "distances " << pair.query.name << " " << *pair.answer.distance << std::endl;
  });

  // GATTACA occurs once as it is, from 5 to 12; GGTTAC with one difference.
  rhomb::SearchOptions find;
  find.most = 1;
  find.cigar = true;
  devices.search(guides, genome, find, [](const rhomb::Occurrence& found) {
    std::cout << "search " << found.query << " " << found.start << " " << found.end << " " << found.strand << " "
              << found.distance << " " << found.cigar << std::endl;
  });

  rhomb::LcsOptions alike;
  alike.subsequence = true;
  const auto totals = devices.lcs("guides.fa", genome, alike, [](const rhomb::CommonSubsequence& found) {
    std::cout << "lcs " << found.query << " " << found.length << " " << found.subsequence << std::endl;
  });
  std::cout << "cells " << totals.cells << " on " << totals.device << std::endl;

  try {
    devices.search("missing.fa", genome, find, [](const rhomb::Occurrence&) {});
  } catch (const rhomb::Error& error) {
    std::cout << (error.kind() == rhomb::Kind::kInput ? "input error: " : "other: ") << error.what() << std::endl;
  }
  try {
    devices.search(guides, genome, find, [](const rhomb::Occurrence&) { throw 7; });
  } catch (int thrown) {
    std::cout << "thrown " << thrown << std::endl;
  }
}
"""

ANSWERS = """distance 2
distances guide 9
distances other 11
search guide 5 12 + 0 7=
search other 5 11 + 1 1=1X4=
lcs guide 7 GATTACA
lcs other 5 GTTAC
cells 208 on host
input error: missing.fa: cannot open: No such file or directory
thrown 7
"""


@pytest.fixture(scope="module")
def prefix(program, tmp_path_factory):
    build = program.parent
    if not (build / "CMakeCache.txt").is_file():
        pytest.skip(f"{program} is not in the folder that it was built in")
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True, timeout=120)
    return prefix


def test_program(rhomb, prefix, write):
    write("a.fa", ">a\nACGT\n")
    rhomb.path = prefix / "bin" / "rhomb"
    assert rhomb("distance a.fa a.fa").column("distance") == ["0"]


def test_library(prefix, environment, sanitized, tmp_path):
    if sanitized:
        pytest.skip("the library needs the sanitizer's flags")
    include = prefix / "include"
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    assert "rhomb/rhomb.h" in headers
    assert all(header.startswith("rhomb/") for header in headers)
    main = "".join(f"#include <{header}>\n" for header in headers)
    # OpenCL's headers are no business of those who use the library.
    main += "#ifdef CL_SUCCESS\n#error OpenCL\n#endif\n"
    (tmp_path / "user.cpp").write_text(main + MAIN)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "guides.fa").write_text(">guide\nGATTACA\n>other\nGGTTAC\n")

    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}")
    run("cmake", "--build", "build")
    assert run("build/user") == ANSWERS
    environment = {**environment, "OCL_ICD_VENDORS": "/nonexistent"}  # so little needs no device
    assert run("build/user") == ANSWERS
