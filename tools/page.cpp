// SPDX-License-Identifier: Apache-2.0
#include "tools/page.h"

#include <ctime>
#include <filesystem>

#include "host/error.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/svg.h"

namespace rhomb::cli {
namespace {

constexpr std::string_view kBegin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>)";

constexpr std::string_view kStyle = R"(</title>
<style>
  body { margin: 0 auto; max-width: 1180px; padding: 16px; color: #222; background: #fff;
         font: 16px/1.5 "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; }
  h1 { font-size: 1.6em; line-height: 1.2; margin: 0.4em 0; }
  h2 { font-size: 1.25em; line-height: 1.25; margin: 0 0 0.4em; }
  section { border-top: 1px solid #c8c8c8; margin-top: 28px; padding-top: 20px; }
  p { max-width: 46em; margin: 0.5em 0; }
  a { color: #0072b2; }
  svg { display: block; width: 100%; max-width: 560px; height: auto; }
  .pictures { display: grid; gap: 12px 28px; grid-template-columns: minmax(0, 1fr); }
  table { border-collapse: collapse; margin: 12px 0; }
  th, td { border-bottom: 1px solid #ddd; padding: 4px 14px 4px 0; text-align: left;
           vertical-align: top; }
  td + td, th + th { padding-left: 4px; }
  dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px;
       margin: 1em 0; }
  dt { color: #666; } dd { margin: 0; overflow-wrap: anywhere; }
  .wide { overflow-x: auto; }
  small { color: #666; }
  .notes { color: #666; font-size: 0.9em; overflow-wrap: anywhere; }
  @media (min-width: 640px) {
    .several .pictures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  }
  @media (min-width: 900px) {
    .several .pictures { grid-template-columns: repeat(3, minmax(0, 1fr)); }
    .alone { display: grid; gap: 12px 40px;
             grid-template-columns: minmax(0, 560px) minmax(0, 1fr); }
  }
  @media (max-width: 500px) { body { padding: 10px; } table { font-size: 0.88em; } }
</style>
</head>
<body>
)";

}  // namespace

std::string page_head(std::string_view title) {
  return text_of(kBegin, draw::escaped(title), kStyle);
}

std::string inlined(const std::string& svg) { return svg.substr(svg.find("<svg")); }

std::string page_entry(std::string_view name, std::string_view value) {
  return text_of("<dt>", draw::escaped(name), "</dt><dd>", draw::escaped(value), "</dd>\n");
}

std::string make_directory(const std::string& path, std::string_view what) {
  if (path.empty()) throw UsageError(text_of(what, ": the name of the directory is empty"));
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed || !std::filesystem::is_directory(path, failed))
    throw UsageError(text_of(what, ": cannot make the directory '", path,
                             "': ", failed ? failed.message() : "there is a file of that name"));
  return path + (path.ends_with('/') ? "" : "/");
}

void write_file(const std::string& path, std::string_view text) {
  Output out(path);
  out.write(text);
  out.commit();
}

std::string today() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

}  // namespace rhomb::cli
