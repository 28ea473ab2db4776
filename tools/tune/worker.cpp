// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/worker.h"

#include <utility>

#include "host/ocl/error.h"
#include "host/tune/seal.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr double kStart = 60;  // seconds that a driver may take to come up

}  // namespace

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

tune::Trial Worker::attempt(const tune::Task& task, const tune::Config& config, int runs,
                            double run_limit, double enough) {
  Json question;
  question["engine"] = task.engine;
  question["variant"] = task.variant;
  question["length"] = task.length;
  question["divergence"] = task.divergence;
  question["config"] = json_of(config);
  question["runs"] = runs;
  question["limit"] = run_limit;
  question["enough"] = enough;
  const Child::Reply reply = child().ask(question.dump(), limit_);
  if (reply.line) {
    const auto object = tune::opened(*reply.line);
    const auto trial = object ? tune::trial_of(*object, "trial") : std::nullopt;
    if (trial && trial->task == task && trial->config.values() == config.values()) return *trial;
  }
  tune::Trial trial;
  trial.task = task;
  trial.machine = machine_;
  trial.kernels = kernels_;
  trial.config = config;
  trial.outcome = reply.late ? tune::Outcome::kSlow : tune::Outcome::kFailed;
  trial.why = reply.late   ? "no answer within " + human_seconds(limit_) + ", stopped"
              : reply.line ? "the process wrote something that is no answer"
                           : "the process " + reply.fate;
  child_.reset();
  return trial;
}

std::optional<std::string> Worker::ceilings() {
  const Child::Reply reply = child().ask("{\"ceilings\":true}", limit_);
  if (reply.line && tune::opened(*reply.line)) return reply.line;
  child_.reset();
  return std::nullopt;
}

}  // namespace rhomb::cli
