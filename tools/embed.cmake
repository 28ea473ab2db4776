# Writes files into one C++ file, which defines a function that returns them.
#
#   cmake -DOUT=kernels.cpp -DROOT=cl "-DFILES=cl/a.cl;cl/b.h" -DHEADER=host/ocl/sources.h
#     "-DFUNCTION=std::span<const SourceFile> embedded_sources()" -DTYPE=SourceFile
#     -DNAMESPACE=rhomb::ocl -P embed.cmake
#
# TYPE is a struct of a path below ROOT and a text, both std::string_view.
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
  set(table "constexpr ${NAMESPACE}::${TYPE} kFiles[] = {\n${table}};\n")
endif()

file(WRITE "${OUT}" "// Written by tools/embed.cmake. Do not edit.
#include \"${HEADER}\"

namespace {

${texts}
${table}
}  // namespace

namespace ${NAMESPACE} {

${FUNCTION} {
${body}}

}  // namespace ${NAMESPACE}
")
