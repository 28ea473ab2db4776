// SPDX-License-Identifier: Apache-2.0
// The variant host: two wavefronts that meet, for close texts, of which the host has found the
// distance before a device would be open.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/threads.h"
#include "host/seq/eight.h"
#include "host/seq/eights.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

/// Cells between two looks at whether the wavefronts have met; of so many on, in two threads.
constexpr std::int64_t kCellsPerLook = 1 << 20, kCellsForThreads = 1 << 19;

/// A text as codes; before it and behind it lies what words of eight symbols at its ends reach
/// into.
class HostCodes {
 public:
  HostCodes(std::string_view text, std::array<std::uint8_t, 256> code)
      : size_(static_cast<std::int64_t>(text.size())), codes_(text.size() + 2 * kBeside) {
    std::transform(text.begin(), text.end(), codes_.begin() + kBeside,
                   [&](char symbol) { return code[static_cast<unsigned char>(symbol)]; });
  }
  std::int64_t size() const { return size_; }
  const std::uint8_t* data() const { return codes_.data() + kBeside; }

 private:
  static constexpr std::size_t kBeside = 8;
  std::int64_t size_;
  std::vector<std::uint8_t> codes_;
};

/// Where each of a word's bytes is not 0 if that pair of symbols does not match.
struct EqualCodes {
  static std::uint64_t differing(std::uint64_t x, std::uint64_t y) { return x ^ y; }
#ifdef RHOMB_X86
  RHOMB_AVX2 static __m256i differing(__m256i x, __m256i y) { return _mm256_xor_si256(x, y); }
#endif
};
struct SharedBases {
  static std::uint64_t differing(std::uint64_t x, std::uint64_t y) {
    return seq::sharing_nothing(x, y);
  }
#ifdef RHOMB_X86
  RHOMB_AVX2 static __m256i differing(__m256i x, __m256i y) {
    return _mm256_cmpeq_epi8(_mm256_and_si256(x, y), _mm256_setzero_si256());
  }
#endif
};

/// The wavefront from one corner (Ukkonen 1985; Myers 1986): for each diagonal k, of cells (i, i +
/// k), the furthest row i that a path of the cost at hand reaches. Backwards symbols are counted
/// from the ends of the texts.
template <class Match, bool kBackwards>
class HostFront {
 public:
  /// For costs up to `most`.
  HostFront(const HostCodes& a, const HostCodes& b, std::int64_t most)
      : a_(a.data() + (kBackwards ? a.size() : 0)),
        b_(b.data() + (kBackwards ? b.size() : 0)),
        m_(static_cast<std::int32_t>(a.size())),
        n_(static_cast<std::int32_t>(b.size())),
        zero_(std::min<std::int64_t>(m_, most) + 1),  // a diagonal beside those that are reached
        rows_(static_cast<std::size_t>(zero_ + std::min<std::int64_t>(n_, most) + 2), kNone),
        next_(rows_) {
    rows_[static_cast<std::size_t>(zero_)] = 0;
    walk(rows_.data() + zero_, 0);
  }

  /// To a cost that is so much larger.
  void advance(std::int64_t costs) {
    for (; costs > 0; --costs) {
      ++cost_;
      cells_ += static_cast<double>(high() - low() + 1);
#ifdef RHOMB_X86
      processor() >= Processor::kAvx2 ? step_by_eights() : step();
#else
      step();
#endif
      rows_.swap(next_);
    }
  }
  /// Remembers the cost at hand; and goes back there.
  void keep() {
    kept_.assign(rows() + low(), rows() + high() + 1);
    kept_cost_ = cost_;
  }
  void go_back() {
    for (std::vector<std::int32_t>* of : {&rows_, &next_})
      std::fill(of->begin() + zero_ + low(), of->begin() + zero_ + high() + 1, kNone);
    cost_ = kept_cost_;
    std::ranges::copy(kept_, rows_.begin() + zero_ + low());
  }

  std::int64_t cost() const { return cost_; }
  double cells() const { return cells_; }
  std::int32_t low() const { return -static_cast<std::int32_t>(std::min<std::int64_t>(cost_, m_)); }
  std::int32_t high() const { return static_cast<std::int32_t>(std::min<std::int64_t>(cost_, n_)); }
  /// Where the row of diagonal k is at place k.
  const std::int32_t* rows() const { return rows_.data() + zero_; }

 private:
  static constexpr std::int32_t kNone = -(1 << 30);

  /// The furthest rows by one edit more.
  static void edit(const std::int32_t* from, std::int32_t* to, std::int32_t low, std::int32_t high,
                   std::int32_t m, std::int32_t n) {
    for (std::int32_t k = low; k <= high; ++k)
      to[k] = std::min({std::max({from[k - 1], from[k] + 1, from[k + 1] + 1}), m, n - k});
  }
  void step() {
    std::int32_t* const to = next_.data() + zero_;
    edit(rows(), to, low(), high(), m_, n_);
    for (std::int32_t k = low(); k <= high(); ++k) walk(to, k);
  }

  /// Walks along what matches, on this diagonal.
  void walk(std::int32_t* rows, std::int32_t k) const {
    const std::int64_t end = std::min(m_, n_ - k);
    std::int64_t i = rows[k];
    for (; i < end; i += 8) {
      const auto eight = [](const std::uint8_t* text, std::int64_t at) {
        std::uint64_t word;
        std::memcpy(&word, text + (kBackwards ? -8 - at : at), sizeof word);
        return word;
      };
      if (const auto differ = Match::differing(eight(a_, i), eight(b_, i + k))) [[likely]] {
        i += (kBackwards ? std::countl_zero(differ) : std::countr_zero(differ)) >> 3;
        break;
      }
    }
    rows[k] = static_cast<std::int32_t>(std::min(i, end));
  }

#ifdef RHOMB_X86
  /// The same for eight diagonals at a time, four symbols of each: most match no further.
  RHOMB_AVX2 void step_by_eights() {
    std::int32_t* const to = next_.data() + zero_;
    const std::int32_t high = this->high();
    std::int32_t k = low();
    edit_by_eights(rows(), to, k, high, m_, n_);
    const __m256i m = _mm256_set1_epi32(m_), n = _mm256_set1_epi32(n_);
    for (; k + 7 <= high; k += 8) {
      const __m256i diagonal = seq::eight_from(k), i = seq::eight_of(to + k);
      const seq::Same same = seq::same_of_four(
          Match::differing(four_symbols(a_, i), four_symbols(b_, _mm256_add_epi32(i, diagonal))));
      const __m256i end = _mm256_min_epi32(m, _mm256_sub_epi32(n, diagonal));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + k),
                          _mm256_min_epi32(_mm256_add_epi32(i, same.bytes), end));
      for (unsigned further = same.all; further != 0; further &= further - 1)
        walk(to, k + std::countr_zero(further));
    }
    for (; k <= high; ++k) walk(to, k);
  }
  /// edit() for this processor. (As one function, inlined into both, it takes GCC's loop 1.7 times
  /// as long.)
  RHOMB_AVX2 static void edit_by_eights(const std::int32_t* from, std::int32_t* to,
                                        std::int32_t low, std::int32_t high, std::int32_t m,
                                        std::int32_t n) {
    for (std::int32_t k = low; k <= high; ++k)
      to[k] = std::min({std::max({from[k - 1], from[k] + 1, from[k + 1] + 1}), m, n - k});
  }
  /// Of eight places, the nearest in the lowest byte.
  RHOMB_AVX2 static __m256i four_symbols(const std::uint8_t* text, __m256i at) {
    if constexpr (!kBackwards) return seq::four_symbols(text, at);
    const __m256i before = _mm256_sub_epi32(_mm256_set1_epi32(-4), at);
    const __m256i turned = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    return _mm256_shuffle_epi8(seq::four_symbols(text, before), turned);
  }
#endif

  const std::uint8_t *a_, *b_;  // where symbols are counted from
  const std::int32_t m_, n_;
  std::int64_t cost_ = 0, kept_cost_ = 0;
  double cells_ = 0;
  const std::int64_t zero_;  // place of diagonal 0
  std::vector<std::int32_t> rows_, next_, kept_;
};

/// Whether both meet on some diagonal.
template <class Forward, class Backward>
bool meet(const Forward& forward, const Backward& backward, std::int32_t m, std::int32_t n) {
  const std::int32_t low = std::max(forward.low(), n - m - backward.high());
  const std::int32_t high = std::min(forward.high(), n - m - backward.low());
  const std::int32_t* const from = forward.rows();
  const std::int32_t* const back = backward.rows() + (n - m);
  std::int32_t least = 1;  // rows between them
  for (std::int32_t k = low; k <= high; ++k) least = std::min(least, m - from[k] - back[-k]);
  return least <= 0;
}

/// The wavefronts of both corners meet where the sum of their costs is the distance, and where it
/// is more: on a cheapest path there is a cell for each way to divide its cost. So they go some
/// costs on before anybody looks, and once they have met, back and on by single ones.
template <class Match>
void run_fronts(const Plan& plan, const Problem& problem, Answer& answer) {
  const double start = now();
  const HostCodes a(problem.a, problem.code->a), b(problem.b, problem.code->b);
  const auto m = static_cast<std::int32_t>(a.size()), n = static_cast<std::int32_t>(b.size());
  const std::int64_t most = plan.max_distance;
  HostFront<Match, false> forward(a, b, most / 2 + 1);
  HostFront<Match, true> backward(a, b, most / 2 + 1);
  answer.transfer = now() - start;
  const auto cost = [&] { return forward.cost() + backward.cost(); };
  const auto met = [&] { return meet(forward, backward, m, n); };
  while (cost() + 1 < most && !met()) {
    forward.keep();
    backward.keep();
    // Not many more than have been: what they were too many is done again.
    const std::int64_t costs = std::max<std::int64_t>(
        1, std::min({kCellsPerLook / (2 * cost() + 2), cost() / 32 + 1, (most - cost()) / 2}));
    const bool both =
        costs * (2 * cost() + 2) >= kCellsForThreads && batch::threads_of(problem.threads) > 1;
    batch::in_parts(2, both ? 2 : 1, [&](std::size_t, std::size_t first, std::size_t last) {
      for (; first < last; ++first) first == 0 ? forward.advance(costs) : backward.advance(costs);
    });
    answer.cells = forward.cells() + backward.cells();
    if (met()) {
      forward.go_back();
      backward.go_back();
      break;
    }
    if (report_cost(plan, problem, cost(), now() - start, answer)) return;
  }
  while (cost() < most && !met())
    forward.cost() == backward.cost() ? forward.advance(1) : backward.advance(1);
  answer.cells = forward.cells() + backward.cells();
  if (met()) answer.distance = cost();
}

Plan plan_host(const Problem& problem, const ocl::Limits&, const tune::Config&) {
  constexpr std::size_t kLongest = std::size_t{1} << 30;
  if (std::max(problem.a.size(), problem.b.size()) > kLongest)
    throw tune::Unfit("each text may have " + std::to_string(kLongest) + " symbols");
  Plan plan;
  plan.variant = &host_variant();
  plan.max_distance = distance_limit(problem);
  return plan;
}

Answer run_host(ocl::Device*, const Plan& plan, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  Answer answer;
  problem.code->matching == seq::Matching::kEqual ? run_fronts<EqualCodes>(plan, problem, answer)
                                                  : run_fronts<SharedBases>(plan, problem, answer);
  answer.compute = now() - start - answer.transfer;
  return answer;
}

}  // namespace

const Variant& host_variant() {
  static const Variant variant{kHost,    "two wavefronts that meet, on the host, for close texts",
                               {},       plan_host,
                               run_host, nullptr,
                               true};
  return variant;
}

}  // namespace rhomb::wfa
