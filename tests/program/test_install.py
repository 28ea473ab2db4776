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
  using namespace rhomb;
  const auto devices = ocl::list_devices();
  ocl::Device device(ocl::choose_device("", devices));

  std::cout << "distance " << *distance(&device, "GATTACA", "GATTTACCA").distance << std::endl;

  // GATTACA occurs once as it is, from 5 to 12.
  const std::vector<std::string_view> queries = {"GATTACA"}, texts = {"TTTTTGATTACATTTT"};
  const seq::Code code = seq::make_code(queries[0], texts[0]);
  const std::vector<search::Task> tasks = {{0, 0, 0, 16, 0}};
  const search::Problem find{.queries = queries, .texts = texts, .tasks = tasks, .code = &code};
  const auto hit = search::solve(&device, search::variants().front(), find).best.front();
  std::cout << "search " << hit.distance << " " << hit.end << std::endl;

  const lcs::Problem alike{.query = queries[0], .subjects = texts, .code = &code};
  const auto& variant = lcs::choose(alike, device.info().limits);
  std::cout << "lcs " << lcs::solve(&device, variant, alike).lengths.front() << std::endl;
}
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
    include = prefix / "include" / "rhomb"
    headers = sorted(str(path.relative_to(include)) for path in (include / "host").rglob("*.h"))
    assert "host/rhomb.h" in headers
    (tmp_path / "user.cpp").write_text("".join(f'#include "{header}"\n' for header in headers) + MAIN)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)

    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}")
    run("cmake", "--build", "build")
    assert run("build/user").splitlines() == ["distance 2", "search 0 12", "lcs 7"]
