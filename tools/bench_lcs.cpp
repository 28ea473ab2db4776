// SPDX-License-Identifier: Apache-2.0
#include "tools/bench.h"
namespace rhomb::cli {
int bench_paper_lcs(int, const char* const*) { return 0; }
}
