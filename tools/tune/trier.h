// SPDX-License-Identifier: Apache-2.0
// Trier: tries a configuration on a device. It is planned, then compared with the reference on
// small texts that cross the borders of words, tiles and strips, then measured. The answers of what
// is measured must be right too: those of pairs are computed again in an independent way; those of
// the other engines are compared with another variant's, which is another algorithm, and a sample
// with the reference's.
#pragma once

#include <memory>

#include "host/tune/trial.h"
#include "tools/cli/session.h"

namespace rhomb::cli {

/// How much a trial may take.
struct Effort {
  int runs = 1;       ///< measured ones, after one to warm up
  double limit = 0;   ///< seconds of a run
  double enough = 0;  ///< one that takes longer is not run again
};

class Trier {
 public:
  explicit Trier(Session& session);
  ~Trier();

  /// Fills in what comes of Trial::config for Trial::task.
  void try_out(tune::Trial& trial, const Effort& effort);

 private:
  struct Engines;
  std::unique_ptr<Engines> engines_;
};

}  // namespace rhomb::cli
