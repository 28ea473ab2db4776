// SPDX-License-Identifier: Apache-2.0
// The campaign: random problems for all that rhomb computes, for as long as it is let run.
// README.md in tests says how.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <cxxopts.hpp>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/campaign/campaign.h"

namespace rhomb::campaign {

std::span<const Verb> verbs() {
  static const Verb all[] = {{"distance", distance_trial}, {"pairs", pairs_trial},
                             {"align", align_trial},       {"alignments", alignments_trial},
                             {"search", search_trial},     {"occurrences", occurrences_trial},
                             {"lcs", lcs_trial},           {"gaps", gaps_trial},
                             {"primer", primer_trial},     {"relations", relations_trial}};
  return all;
}

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What is under way: for the watchdog and for signals.
char under_way[600] = "nothing";
std::atomic<std::int64_t> under_way_since{0};
std::atomic<bool> asked_to_stop{false};

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(Clock::now().time_since_epoch()).count();
}

void tell_of_crash(int signal) {
  const auto say = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(1);
  };
  say("\ncampaign: crashed in ");
  say(under_way);
  say("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// "verb/setting/number": all that a case comes from.
struct Name {
  std::string verb;
  std::uint64_t setting = 0, number = 0;

  std::string text() const {
    return verb + "/" + std::to_string(setting) + "/" + std::to_string(number);
  }
  static Name parse(const std::string& text) {
    Name name;
    std::istringstream from(text);
    char slash = 0;
    if (!std::getline(from, name.verb, '/') || !(from >> name.setting >> slash >> name.number) ||
        slash != '/')
      throw UsageError("a case is named like distance/17/2026, not '" + text + "'");
    return name;
  }
};

/// Numbers that depend on all of these.
Rng numbers_of(std::initializer_list<std::uint64_t> seeds) {
  std::vector<std::uint32_t> words;
  for (const std::uint64_t seed : seeds) {
    words.push_back(static_cast<std::uint32_t>(seed));
    words.push_back(static_cast<std::uint32_t>(seed >> 32));
  }
  std::seed_seq sequence(words.begin(), words.end());
  return Rng(sequence);
}

std::size_t place_of(const std::string& verb) {
  const auto all = verbs();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == verb) return i;
  throw UsageError("there is no verb '" + verb + "'");
}

/// Setting number `setting` of a verb: the same in every campaign, whatever its seed, so that what
/// was compiled for it is used again. The first of several that the device has room for.
Trial trial_of(std::size_t verb, std::uint64_t setting, Context& context) {
  for (std::uint64_t attempt = 0; attempt < 100; ++attempt) {
    Rng rng = numbers_of({1, verb, setting, attempt});
    try {
      return verbs()[verb].make(rng, context);
    } catch (const tune::Unfit&) {
    }
  }
  throw tune::Unfit("no setting fits this device");
}

Case case_of(const Trial& trial, const Name& name) {
  Rng rng = numbers_of({2, place_of(name.verb), name.setting, name.number});
  return trial.draw(rng);
}

/// What Oclgrind writes into its log.
class Reports {
 public:
  explicit Reports(const std::string& path) : file_(path) {
    if (!file_) throw UsageError("--reports: there is no file '" + path + "'");
  }

  /// What it has reported since the last call; nothing of what is meant: test_oclgrind.py says what
  /// that is.
  std::string more() {
    static const std::regex meant(
        "Read-write data race at global memory address 0x[0-9a-f]*0{11}"
        "[0-7][^]*|[A-Z][a-z]*-write data race at global[^]*strip_flow[^]*"
        "|Read-write data race at global[^]*Kernel: wfa_fused[^]* of cl/wfa/meet.h[^]*");
    std::string all, report;
    const auto keep = [&] {
      if (!report.empty() && !std::regex_match(report, meant)) all += report;
      report.clear();
    };
    file_.clear();
    for (std::string line; std::getline(file_, line);) {
      if (!line.empty() && line[0] != ' ' && line[0] != '\t') keep();
      if (line.find_first_not_of(" \t") != std::string::npos) report += line + '\n';
    }
    keep();
    return all;
  }

 private:
  std::ifstream file_;
};

/// No answers where the configuration does not fit the case.
Outcome check(const Trial& trial, const Case& one, const Name& name, Reports* reports) {
  Rng rng = numbers_of({3, place_of(name.verb), name.setting, name.number});
  try {
    Outcome outcome = trial.check(one, rng);
    if (reports && outcome.wrong.empty()) outcome.wrong = reports->more();
    return outcome;
  } catch (const tune::Unfit&) {
    return {"", 0};
  } catch (const std::bad_alloc&) {
    return {"out of memory"};
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

std::size_t symbols_of(const Case& one) {
  std::size_t sum = one.a.size() + one.b.size();
  for (const auto* side : {&one.a, &one.b})
    for (const std::string& text : *side) sum += text.size();
  return sum;
}

/// A smaller case that is wrong, too: fewer texts, shorter texts.
Case shrunken(const Trial& trial, Case one, const Name& name, double seconds, Reports* reports) {
  const auto start = Clock::now();
  const auto time_left = [&] { return seconds_since(start) < seconds; };
  const auto try_this = [&](Case smaller) {
    if (!time_left() || symbols_of(smaller) >= symbols_of(one)) return false;
    if (check(trial, smaller, name, reports).wrong.empty()) return false;
    one = std::move(smaller);
    return true;
  };
  for (bool smaller = true; smaller && time_left();) {
    smaller = false;
    for (const bool first : {true, false})  // texts, many at a time, then few
      for (std::size_t size = std::max(one.a.size(), one.b.size()); size > 0; size /= 2)
        for (std::size_t at = 0; at < (first ? one.a : one.b).size() && time_left();) {
          Case next = one;
          const auto erase = [&](std::vector<std::string>& side) {
            if (at >= side.size()) return;
            const auto begin = side.begin() + static_cast<std::ptrdiff_t>(at);
            side.erase(begin,
                       begin + static_cast<std::ptrdiff_t>(std::min(size, side.size() - at)));
          };
          if (first || one.by_order) erase(next.a);
          if (!first || one.by_order) erase(next.b);
          if (next.a.empty() || (next.b.empty() && !one.b.empty()) || !try_this(std::move(next)))
            at += size;
          else
            smaller = true;
        }
    for (const bool first : {true, false})  // symbols
      for (std::size_t t = 0; t < (first ? one.a : one.b).size(); ++t)
        for (std::size_t size = (first ? one.a : one.b)[t].size(); size > 0; size /= 2)
          for (std::size_t at = 0; at < (first ? one.a : one.b)[t].size() && time_left();) {
            Case next = one;
            (first ? next.a : next.b)[t].erase(at, size);
            if (try_this(std::move(next)))
              smaller = true;
            else
              at += size;
          }
  }
  return one;
}

/// `text` with what cannot be printed as \x00.
std::string printed(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      made += c;
    } else {
      char hex[5];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
      made += hex;
    }
  }
  return made;
}

Json shown(const Case& one) {
  Json made{{"a", Json::array()}, {"b", Json::array()}};
  for (const std::string& text : one.a) made["a"].push_back(printed(text));
  for (const std::string& text : one.b) made["b"].push_back(printed(text));
  return made;
}

struct Asked {
  std::string device, log, one_case, home, kernels, reports;
  std::vector<std::string> verbs;
  std::uint64_t seed = 1, settings = 40;
  double seconds = 60, round = 3, shrink = 30, hang = 900;
  std::uint64_t problems = 0;
  bool unoptimized = false, small = false;
};

struct Counts {
  std::uint64_t problems = 0, cases = 0, rounds = 0, unfit = 0, wrong = 0;
  double seconds = 0;
};

class Campaign {
 public:
  Campaign(const Asked& asked, Context& context) : asked_(asked), context_(context) {
    if (!asked.reports.empty()) reports_.emplace(asked.reports);
  }

  /// True if nothing was wrong.
  bool run() {
    if (!asked_.log.empty()) resume();
    const auto start = Clock::now();
    for (; !asked_to_stop && seconds_since(start) < asked_.seconds &&
           (asked_.problems == 0 || all_.problems < asked_.problems);
         ++round_) {
      Name name;
      name.verb = asked_.verbs[round_ % asked_.verbs.size()];
      name.setting = numbers_of({4, asked_.seed, round_})() % asked_.settings;
      run_round(name, std::min(asked_.round, asked_.seconds - seconds_since(start)));
      if (isatty(STDERR_FILENO) != 0)
        std::cerr << '\r' << all_.problems << " problems, " << all_.wrong << " wrong, "
                  << static_cast<int>(seconds_since(start)) << " s   " << std::flush;
    }
    if (isatty(STDERR_FILENO) != 0) std::cerr << '\n';
    tell();
    return all_.wrong == 0;
  }

  bool run_one(const Name& name) {
    const Trial trial = trial_of(place_of(name.verb), name.setting, context_);
    const Case one = case_of(trial, name);
    begin(name);
    const std::string wrong = check(trial, one, name, reports()).wrong;
    std::cout << name.text() << ": " << trial.what << '\n'
              << (wrong.empty() ? "right" : wrong) << '\n';
    if (wrong.empty()) return true;
    tell_of(trial, name, one, wrong);
    return false;
  }

 private:
  Reports* reports() { return reports_ ? &*reports_ : nullptr; }

  void begin(const Name& name) {
    under_way_since = now_seconds();
    std::snprintf(under_way, sizeof under_way, "%s", name.text().c_str());
  }

  void log(const Json& line) {
    if (asked_.log.empty()) return;
    std::ofstream file(asked_.log, std::ios::app);
    file << line.dump() << std::endl;
  }

  /// Goes on where a log ends. A round that was begun and not ended took the process with it.
  void resume() {
    std::ifstream file(asked_.log);
    bool open = false;
    Json last;
    for (std::string text; std::getline(file, text);) {
      const Json line = Json::parse(text, nullptr, false);
      if (line.is_discarded() || line.value("seed", std::uint64_t{0}) != asked_.seed) continue;
      if (line.contains("begin")) {
        open = true;
        last = line;
        round_ = line["begin"].get<std::uint64_t>() + 1;
      } else if (line.contains("round")) {
        open = false;
        Counts& of_verb = counts_[line["verb"].get<std::string>()];
        for (Counts* counts : {&all_, &of_verb}) {
          ++counts->rounds;
          counts->problems += line["problems"].get<std::uint64_t>();
          counts->cases += line["cases"].get<std::uint64_t>();
          counts->unfit += line["unfit"].get<std::uint64_t>();
          counts->wrong += line["wrong"].get<std::uint64_t>();
          counts->seconds += line["seconds"].get<double>();
        }
      }
    }
    if (round_ > 0) std::cerr << "campaign: goes on with round " << round_ << '\n';
    if (open) {
      std::cerr << "campaign: the last one ended in " << last.dump() << '\n';
      ++all_.wrong;
    }
  }

  void run_round(Name name, double seconds) {
    log({{"begin", round_}, {"seed", asked_.seed}, {"verb", name.verb}, {"setting", name.setting}});
    const auto start = Clock::now();
    Trial trial;
    try {
      trial = trial_of(place_of(name.verb), name.setting, context_);
    } catch (const tune::Unfit&) {
      return;
    }
    Counts counts;
    counts.rounds = 1;
    // The first case waits for compilers; then there is time for others.
    auto compiled = start;
    for (std::uint64_t k = 0;
         !asked_to_stop && (k < 2 || seconds_since(compiled) < seconds) &&
         (asked_.problems == 0 || all_.problems + counts.problems < asked_.problems);
         ++k) {
      name.number = asked_.seed << 40 | round_ << 20 | k;
      const Case one = case_of(trial, name);
      begin(name);
      const auto [wrong, answers] = check(trial, one, name, reports());
      under_way_since = 0;
      if (k == 0) compiled = Clock::now();
      ++counts.cases;
      counts.problems += answers;
      counts.unfit += answers == 0 ? 1 : 0;
      if (wrong.empty()) continue;
      ++counts.wrong;
      tell_of(trial, name, one, wrong);
      if (counts.wrong == 3) break;  // of one setting that is enough
    }
    counts.seconds = seconds_since(start);
    for (Counts* sum : {&all_, &counts_[name.verb]}) {
      sum->rounds += 1;
      sum->problems += counts.problems;
      sum->cases += counts.cases;
      sum->unfit += counts.unfit;
      sum->wrong += counts.wrong;
      sum->seconds += counts.seconds;
    }
    log({{"round", round_},
         {"seed", asked_.seed},
         {"verb", name.verb},
         {"setting", name.setting},
         {"what", trial.what},
         {"problems", counts.problems},
         {"cases", counts.cases},
         {"unfit", counts.unfit},
         {"wrong", counts.wrong},
         {"compile_seconds", std::chrono::duration<double>(compiled - start).count()},
         {"seconds", counts.seconds}});
  }

  void tell_of(const Trial& trial, const Name& name, const Case& one, const std::string& wrong) {
    const bool same = !check(trial, one, name, reports()).wrong.empty();
    const Case small = same ? shrunken(trial, one, name, asked_.shrink, reports()) : one;
    under_way_since = 0;
    const std::string why = same ? check(trial, small, name, reports()).wrong : "";
    Json told{{"wrong", name.text()},
              {"what", trial.what},
              {"why", wrong},
              {"again", same},
              {"symbols", symbols_of(one)}};
    told["shrunken"] = shown(small);
    told["shrunken_why"] = why;
    log(told);
    std::cerr << "\nWRONG " << name.text() << ": " << trial.what << "\n  " << wrong << "\n  "
              << (same ? "shrunken from " + std::to_string(symbols_of(one)) + " to " +
                             std::to_string(symbols_of(small)) + " symbols: " + why
                       : "not wrong when it was tried again")
              << "\n  " << told["shrunken"].dump().substr(0, 2000) << '\n';
  }

  void tell() const {
    std::cout << "verb\tproblems\tcases\trounds\tunfit\twrong\tseconds\n";
    const auto line = [](const std::string& verb, const Counts& counts) {
      std::cout << verb << '\t' << counts.problems << '\t' << counts.cases << '\t' << counts.rounds
                << '\t' << counts.unfit << '\t' << counts.wrong << '\t'
                << static_cast<int>(counts.seconds) << '\n';
    };
    for (const auto& [verb, counts] : counts_) line(verb, counts);
    line("all", all_);
  }

  const Asked& asked_;
  Context& context_;
  std::optional<Reports> reports_;
  std::uint64_t round_ = 0;
  Counts all_;
  std::map<std::string, Counts> counts_;
};

std::string all_verbs() {
  std::string names;
  for (const Verb& verb : verbs()) names += (names.empty() ? "" : ",") + std::string(verb.name);
  return names;
}

int run(int argc, char** argv) {
  Asked asked;
  cxxopts::Options options("rhomb-campaign",
                           "Random problems for all that rhomb computes, against independent "
                           "oracles. Ends with 1 if something was wrong.");
  // clang-format off
  options.add_options()
      ("d,device", "as rhomb has it", cxxopts::value(asked.device)->default_value(""))
      ("verbs", "some of " + all_verbs(), cxxopts::value(asked.verbs)->default_value(all_verbs()))
      ("seed", "of all random numbers", cxxopts::value(asked.seed)->default_value("1"))
      ("seconds", "for so long", cxxopts::value(asked.seconds)->default_value("60"))
      ("problems", "no more than so many", cxxopts::value(asked.problems)->default_value("0"))
      ("settings", "of each verb: variants, configurations, alphabets, which are compiled",
       cxxopts::value(asked.settings)->default_value("40"))
      ("round", "seconds for a setting, compiling not counted",
       cxxopts::value(asked.round)->default_value("3"))
      ("log", "write JSON lines there, and go on where it ends",
       cxxopts::value(asked.log)->default_value(""))
      ("unoptimized", "have PoCL compile without optimization, some times as fast",
       cxxopts::value(asked.unoptimized))
      ("case", "only this one, as a failure names it",
       cxxopts::value(asked.one_case)->default_value(""))
      ("shrink", "seconds to look for a smaller case that is wrong",
       cxxopts::value(asked.shrink)->default_value("30"))
      ("hang", "seconds after which a case counts as a hang; compilers take some minutes",
       cxxopts::value(asked.hang)->default_value("900"))
      ("home", "folder for caches", cxxopts::value(asked.home)->default_value("campaign-home"))
      ("small", "only small problems, and no self-tests: for a device that is simulated",
       cxxopts::value(asked.small))
      ("reports", "a file to which Oclgrind writes what it finds: that is wrong, too",
       cxxopts::value(asked.reports)->default_value(""))
      ("kernels", "as rhomb has it", cxxopts::value(asked.kernels)->default_value(""))
      ("h,help", "this");
  // clang-format on
  const auto parsed = options.parse(argc, argv);
  if (parsed.count("help") != 0) {
    std::cout << options.help();
    return 0;
  }
  for (const std::string& verb : asked.verbs) place_of(verb);

  // Nothing of the user's is read or written.
  const auto home = std::filesystem::absolute(asked.home);
  for (const auto& [name, folder] : {std::pair{"XDG_CACHE_HOME", "cache"},
                                     {"XDG_DATA_HOME", "data"},
                                     {"POCL_CACHE_DIR", "pocl"}}) {
    std::filesystem::create_directories(home / folder);
    setenv(name, (home / folder).c_str(), 1);
  }
  if (asked.unoptimized) setenv("RHOMB_BUILD_OPTIONS", "-cl-opt-disable", 1);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, tell_of_crash);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { asked_to_stop = true; });
  std::thread([hang = static_cast<std::int64_t>(asked.hang)] {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const std::int64_t since = under_way_since;
      if (since == 0 || now_seconds() - since < hang) continue;
      std::cerr << "\ncampaign: hangs in " << under_way << std::endl;
      std::abort();
    }
  }).detach();

  const auto infos = ocl::list_devices();
  const auto info = ocl::choose_device(asked.device, infos);
  // Drivers may be gone before objects that live until the end.
  tiny = asked.small;
  ocl::DeviceOptions opened;
  opened.kernels_dir = asked.kernels;
  opened.self_tests = !asked.small;
  auto& device = *new ocl::Device(info, opened);
  DevicesOptions one, two;
  one.selector = std::to_string(info.index);
  one.kernels_dir = two.kernels_dir = asked.kernels;
  two.selector = one.selector + "," + one.selector;
  Context context;
  context.selector = one.selector;
  context.device = &device;
  context.devices = new Devices(one);
  context.several = new Devices(two);
  std::cerr << "campaign: " << info.name << ", " << info.platform << ", driver " << info.driver
            << ", seed " << asked.seed << '\n';
  Campaign campaign(asked, context);
  if (!asked.one_case.empty()) return campaign.run_one(Name::parse(asked.one_case)) ? 0 : 1;
  return campaign.run() ? 0 : 1;
}

}  // namespace
}  // namespace rhomb::campaign

int main(int argc, char** argv) {
  try {
    const int code = rhomb::campaign::run(argc, argv);
    std::cout.flush();
    _exit(code);  // drivers' threads may be about
  } catch (const std::exception& error) {
    std::cerr << "campaign: " << error.what() << '\n';
    return 2;
  }
}
