// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/worker.h"

#include <iostream>
#include <utility>

#include "host/engine/ceilings.h"
#include "host/ocl/error.h"
#include "host/ocl/hash.h"
#include "host/ocl/sources.h"
#include "host/tune/seal.h"
#include "tools/bench/measure.h"
#include "tools/cli/json.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr double kStart = 60;  // seconds that a driver may take to come up

/// 16 digits that change when a kernel does.
std::string kernels_hash(const DeviceOptions& device) {
  const ocl::Sources sources(device.open.kernels_dir);
  std::string all;
  for (const auto& file : ocl::embedded_sources())
    all += text_of(file.path, "\n", sources.text(file.path).value_or(""));
  return ocl::hex(ocl::hash_of(all)).substr(0, 16);
}

Json question_of(const tune::Task& task, const tune::Config& config, const Effort& effort) {
  return {{"engine", task.engine},         {"variant", task.variant},   {"length", task.length},
          {"divergence", task.divergence}, {"config", json_of(config)}, {"runs", effort.runs},
          {"limit", effort.limit},         {"enough", effort.enough}};
}

tune::Trial answer_of(const Json& question, tune::Trial trial, Trier& trier) {
  trial.task = {question.at("engine"), question.at("variant"), question.at("length"),
                question.at("divergence")};
  trial.config = tune::Config(question.at("config").get<std::map<std::string, int>>());
  const Effort effort{question.at("runs"), question.at("limit"), question.at("enough")};
  const auto fail = [&trial](tune::Outcome outcome, const std::string& why) {
    trial.outcome = outcome;
    trial.why = why;
  };
  try {
    trier.try_out(trial, effort);
  } catch (const TooSlow&) {
    fail(tune::Outcome::kSlow, "a run took longer than " + human_seconds(effort.limit));
  } catch (const CheckError& error) {
    fail(tune::Outcome::kWrong, error.what());
  } catch (const tune::Unfit& error) {
    fail(tune::Outcome::kUnfit, error.what());
  } catch (const Error& error) {
    fail(tune::Outcome::kFailed, error.what());
  }
  return trial;
}

}  // namespace

int answer_questions(const DeviceOptions& device) {
  end_with_parent();
  Session session(device, true);
  const ocl::DeviceInfo& info = *session.info();
  tune::Trial trial;
  trial.machine = tune::machine_of(info);
  trial.kernels = kernels_hash(device);
  std::cout << json_line({{"device", info.name},
                          {"driver", info.driver},
                          {"compute_units", info.limits.compute_units},
                          {"gpu", info.limits.gpu},
                          {"kernels", trial.kernels}})
            << std::flush;
  Trier trier(session);
  for (std::string line; std::getline(std::cin, line);) {
    const Json question = Json::parse(line);
    if (question.contains("ceilings"))
      std::cout << tune::line_of(record_of(info, measure_ceilings(*session.open()))) << std::endl;
    else
      std::cout << tune::line_of(answer_of(question, trial, trier), "trial") << std::endl;
  }
  return 0;
}

Worker::Worker(std::vector<std::string> arguments, double limit)
    : arguments_(std::move(arguments)), limit_(limit) {
  child();
}

/// The process, which is there.
Child& Worker::child() {
  if (child_ && child_->alive()) return *child_;
  child_ = std::make_unique<Child>(arguments_);
  const Child::Reply hello = child_->hear(kStart);
  const Json json = Json::parse(hello.line.value_or(""), nullptr, /*allow_exceptions=*/false);
  try {
    machine_ = {json.at("device"), json.at("driver"), json.at("compute_units")};
    kernels_ = json.at("kernels");
    gpu_ = json.at("gpu");
  } catch (const Json::exception&) {
    const std::string fate = hello.late   ? "says nothing"
                             : hello.line ? "says something else than its device's name"
                                          : hello.fate;
    child_.reset();
    throw ocl::DeviceError("the process that is to use the device " + fate, 0, "");
  }
  return *child_;
}

tune::Trial Worker::attempt(const tune::Task& task, const tune::Config& config,
                            const Effort& effort) {
  const Child::Reply reply = child().ask(question_of(task, config, effort).dump(), limit_);
  if (reply.line) {
    const auto object = tune::opened(*reply.line);
    const auto trial = object ? tune::trial_of(*object, "trial") : std::nullopt;
    if (trial && trial->task == task && trial->config == config) return *trial;
  }
  child_.reset();
  tune::Trial trial;
  trial.task = task;
  trial.machine = machine_;
  trial.kernels = kernels_;
  trial.config = config;
  trial.outcome = reply.late ? tune::Outcome::kSlow : tune::Outcome::kFailed;
  trial.why = reply.late   ? "no answer within " + human_seconds(limit_) + ", stopped"
              : reply.line ? "the process wrote something that is no answer"
                           : "the process " + reply.fate;
  return trial;
}

std::optional<std::string> Worker::ceilings() {
  const Child::Reply reply = child().ask("{\"ceilings\":true}", limit_);
  if (reply.line && tune::opened(*reply.line)) return reply.line;
  child_.reset();
  return std::nullopt;
}

}  // namespace rhomb::cli
