# Writes kernel files into one C++ file, which defines rhomb::ocl::embedded_sources().
#
#   cmake -DOUT=kernels.cpp -DROOT=cl "-DFILES=cl/a.cl;cl/b.h" -P embed.cmake
#
# Each byte becomes \xHH: no content can end a literal, and short pieces suit every compiler.
cmake_minimum_required(VERSION 3.22)

set(table "")
set(texts "")
set(count 0)
list(SORT FILES)
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH path "${ROOT}" "${file}")
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" text "${hex}")
  # 24 bytes a line.
  string(REPEAT "\\\\x[0-9a-f][0-9a-f]" 24 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" text "${text}")
  string(APPEND texts "// ${path}\nconstexpr char kText${count}[] =\n    \"${text}\";\n")
  string(APPEND table "    {\"${path}\", {kText${count}, sizeof kText${count} - 1}},\n")
  math(EXPR count "${count} + 1")
endforeach()

if(count EQUAL 0)
  set(body "  return {};\n")
else()
  set(body "  return kFiles;\n")
  set(table "constexpr rhomb::ocl::SourceFile kFiles[] = {\n${table}};\n")
endif()

file(WRITE "${OUT}" "// Written by tools/embed.cmake. Do not edit.
#include \"host/ocl/sources.h\"

namespace {

${texts}
${table}
}  // namespace

namespace rhomb::ocl {

std::span<const SourceFile> embedded_sources() {
${body}}

}  // namespace rhomb::ocl
")
