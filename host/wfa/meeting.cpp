// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/meeting.h"

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <optional>

#include "cl/wfa/front.h"
#include "host/batch/threads.h"
#include "host/dist/checkpoint.h"
#include "host/error.h"
#include "host/seq/packed.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

/// With so many symbols an edit most windows of 32 symbols last one step.
constexpr std::int64_t kDense = 20;

/// The engine whose rows are in a checkpoint.
constexpr const char* kRows = "wavefront";

/// Diagonals that the first buffer of kept rows has room for, and any at most.
constexpr std::int64_t kFirstRoom = 1 << 12, kMostRoom = 1 << 27;

/// A row of both directions: its cost, its diagonals, and which of the places holds it: one of
/// three, or the next one where rows are kept.
struct Front {
  std::int64_t cost = 0;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  std::uint32_t place = 0;
  std::int64_t size() const { return hi - lo + 1; }
};

/// Planes of one text and of its reverse, in one vector.
struct BothWays {
  std::vector<std::uint32_t> words;
  std::uint32_t reverse = 0;  ///< where the reverse begins
};

BothWays pack(std::string_view text, const std::array<std::uint8_t, 256>& code, int planes,
              int fill, bool apart, std::size_t threads) {
  seq::Planes packed = seq::pack_planes(text, code, planes, fill, threads);
  std::vector<std::uint32_t> reversed = seq::reversed_words(packed);
  if (apart) {
    packed.words = seq::planes_apart(packed.words, planes);
    reversed = seq::planes_apart(reversed, planes);
  }
  BothWays made{std::move(packed.words), 0};
  made.reverse = static_cast<std::uint32_t>(made.words.size());
  made.words.insert(made.words.end(), reversed.begin(), reversed.end());
  return made;
}

class Meeting {
 public:
  /// `most_kept`: bytes of the rows that are kept, at most; 0: none are.
  Meeting(ocl::Device& device, const Plan& plan, const Problem& problem, std::uint64_t most_kept)
      : device_(device),
        plan_(plan),
        problem_(problem),
        most_kept_(most_kept),
        m_(static_cast<std::int64_t>(problem.a.size())),
        n_(static_cast<std::int64_t>(problem.b.size())),
        bound_(plan.max_distance) {
    const double begin = now();
    trace::Scope packing(problem.trace, trace::Work::kPack);
    // Beyond the ends the pattern has zeros and the text ones: they never match each other. As sets
    // it is the other way round, for nothing shares a base with the empty set.
    const int fill = plan.sets ? 0 : 1;
    const bool apart = plan.stages.front().lanes > 1;
    const std::size_t half = batch::half_of(problem.threads);
    auto pattern = std::async(batch::beside(problem.threads), [&] {
      const trace::Scope scope(problem.trace, trace::Work::kPack);
      return pack(problem.a, problem.code->a, plan.planes, 0, apart, half);
    });
    const BothWays text = pack(problem.b, problem.code->b, plan.planes, fill, apart, half);
    const BothWays first = pattern.get();
    packing.end();
    a_ = device.upload(std::span<const std::uint32_t>(first.words));
    b_ = device.upload(std::span<const std::uint32_t>(text.words));
    a_reverse_ = first.reverse;
    b_reverse_ = text.reverse;
    if (most_kept_ == 0) {
      capacity_ = plan.first_row;
      rows_ = device.buffer<std::int32_t>(6 * static_cast<std::size_t>(capacity_));
    } else {
      make_room(kFirstRoom);
      kept_.places.push_back({0, used_++});
    }
    status_ = device.buffer<std::int32_t>(2);
    transfer_ = now() - begin;
  }

  /// `prefix`: symbols that both texts begin with; what they end with is not the same.
  Answer run(std::int64_t prefix = 0) {
    Answer answer;
    answer.transfer = transfer_;
    kernel(stage_for(1));
    const trace::Scope scope(problem_.trace, trace::Work::kCompute);
    start_ = now() - building_;  // builds of wider stages are not computing either

    // Cost 0: the prefix, and the empty suffixes, both on diagonal 0. They match no further.
    const std::array<std::int32_t, 1> origin{static_cast<std::int32_t>(prefix) - WFA_BIAS};
    const std::array<std::int32_t, 1> end{-WFA_BIAS};
    device_.write(rows(), offset(0, 0), std::span<const std::int32_t>(origin));
    device_.write(rows(), offset(0, 1), std::span<const std::int32_t>(end));

    std::optional<Front> before = advance(resumed().value_or(Front{}), 0);
    if (problem_.checkpoint != nullptr) problem_.checkpoint->settle();
    answer.given_up = given_up_;
    if (before) {
      // The rows of `before` do not overlap, those `steps` later do. Between them rows eight costs
      // apart are looked at, and then single ones.
      int steps = taken_;
      while (steps > 1) {
        const int finer = steps > 8 ? 8 : 1;
        before = advance(*before, finer);
        if (!before) throw CheckError("two wavefronts met and then did not; please report this");
        steps = taken_;
      }
      const std::int64_t cost = before->cost + 1;
      answer.distance = 2 * cost - (meets(after_, *before) ? 1 : 0);
      if (*answer.distance > plan_.max_distance) answer.distance.reset();
      keep(after_);
    }
    answer.cells = cells_;
    answer.compute = seconds();
    answer.build = building_;
    return answer;
  }

  /// The rows that were kept, once run() has found a distance.
  Fronts kept() { return Fronts(device_, std::move(kept_)); }

 private:
  const Stage& stage_for(std::int64_t width) const {
    for (const Stage& stage : plan_.stages)
      if (2 * width <= stage.widest || (stage.dense_matches && dense_)) return stage;
    return plan_.stages.back();
  }

  const ocl::Kernel& kernel(const Stage& stage) {
    const auto key = &stage;
    auto found = kernels_.find(key);
    if (found == kernels_.end()) {
      const double start = now();
      found = kernels_.emplace(key, tested_kernel(device_, plan_, stage)).first;
      building_ += now() - start;
    }
    return found->second;
  }

  /// The row `steps` costs on, with the diagonals that matter.
  ///
  /// A path of cost d <= bound_ has, for each f from 0 to d, a cell that it reaches with f edits; f
  /// is at least its distance from diagonal 0, and d - f at least its distance from the last
  /// diagonal. Rows of cost c on both sides overlap in such a cell with f and d - f at most c.
  /// Cells with f = c matter until the middle, those with f <= c beyond it; hence the larger of
  /// bound_ - c and c, and one more. The kernel looks for an overlap in the row it reads on `steps`
  /// diagonals more on a side than it writes, so on all that this rule, with the bound known when
  /// it is launched, gives for the row read.
  Front after(const Front& from, std::int64_t steps) const {
    const std::int64_t cost = from.cost + steps;
    const std::int64_t left = std::max(bound_ - cost, cost) + 1;
    const std::int64_t end = n_ - m_;
    return {cost, std::max({-cost, end - left, -m_}), std::min({cost, end + left, n_}), 0};
  }

  /// Finds a place for the row behind `from`.
  void place(Front& to, const Front& from) {
    if (most_kept_ == 0) {
      reserve(to.size());
      to.place = (from.place + 1) % 3;
      return;
    }
    make_room(from.size() + to.size());
    bring(from);
    to.place = static_cast<std::uint32_t>(kept_.places.size());
    kept_.places.push_back({kept_.buffers.size() - 1, used_});
    used_ += static_cast<std::uint32_t>(to.size());
  }

  /// Where rows are kept: begins another buffer unless this one has room for so many diagonals.
  void make_room(std::int64_t size) {
    if (used_ + size <= capacity_) return;
    const auto left = static_cast<std::int64_t>((most_kept_ - kept_.bytes) / 8);
    const auto one = static_cast<std::int64_t>(device_.limits().alloc_bytes / 8);
    capacity_ = std::max(std::min({std::max(2 * capacity_, 2 * size), kMostRoom, left, one}), size);
    const auto bytes = 8 * static_cast<std::uint64_t>(capacity_);
    if (capacity_ > std::int64_t{0x7fffffff} || kept_.bytes + bytes > most_kept_)
      throw MemoryError("the wavefronts that an alignment keeps need more than " +
                        std::to_string(most_kept_ >> 20) + " MiB on the device");
    kept_.bytes += bytes;
    kept_.buffers.push_back(device_.buffer<std::int32_t>(2 * static_cast<std::size_t>(capacity_)));
    used_ = 0;
  }

  /// Copies a row that is kept to the present buffer, which has room, unless it is there.
  void bring(const Front& front) {
    Kept::Place& place = kept_.places[front.place];
    if (place.buffer + 1 == kept_.buffers.size()) return;
    const ocl::Buffer<std::int32_t>& from = kept_.buffers[place.buffer];
    for (const std::size_t direction : {0u, 1u})
      device_.copy(from, place.at + direction * (from.size() / 2), rows(),
                   used_ + direction * static_cast<std::size_t>(capacity_),
                   static_cast<std::size_t>(front.size()));
    place = {kept_.buffers.size() - 1, used_};
    used_ += static_cast<std::uint32_t>(front.size());
  }

  void keep(const Front& front) {
    if (most_kept_ == 0 || (!kept_.levels.empty() && kept_.levels.back().cost >= front.cost))
      return;
    kept_.levels.push_back({front.cost, front.lo, front.hi, kept_.places[front.place]});
  }

  void reserve(std::int64_t size) {
    if (size <= capacity_) return;
    const std::int64_t wider = std::max(size, 2 * capacity_);
    if (wider > std::int64_t{0xffffffff} / 6)
      throw MemoryError("a wavefront of " + std::to_string(size) +
                        " diagonals is more than the kernels can number");
    auto rows = device_.buffer<std::int32_t>(6 * static_cast<std::size_t>(wider));
    for (std::size_t r = 0; r < 6; ++r)
      device_.copy(rows_, r * static_cast<std::size_t>(capacity_), rows,
                   r * static_cast<std::size_t>(wider), static_cast<std::size_t>(capacity_));
    rows_ = std::move(rows);
    capacity_ = wider;
  }

  /// The rows that an earlier run had reached, if one had; they are written to the first place.
  std::optional<Front> resumed() {
    if (problem_.checkpoint == nullptr) return std::nullopt;
    const std::optional<dist::State>& state = problem_.checkpoint->start();
    if (!state || state->engine != kRows) return std::nullopt;
    const Front front{state->number("cost"), state->number("lo"), state->number("hi"), 0};
    if (state->number("rows") != m_ || state->number("columns") != n_ || front.cost < 0 ||
        front.lo > front.hi || front.lo < -m_ || front.hi > n_ || state->arrays.size() != 2 ||
        state->arrays[0].size() != static_cast<std::size_t>(front.size()) ||
        state->arrays[1].size() != state->arrays[0].size())
      throw InputError("checkpoint", "", 0, "has rows that the wavefronts have not");
    bound_ = std::min(bound_, state->number("bound"));
    cells_ = static_cast<double>(state->number("cells"));
    reserve(front.size());
    for (const std::uint32_t direction : {0u, 1u}) {
      const std::vector<std::uint32_t>& kept = state->arrays[direction];
      std::vector<std::int32_t> row;
      for (const std::uint32_t value : kept) row.push_back(static_cast<std::int32_t>(value));
      device_.write(rows_, offset(0, direction), std::span<const std::int32_t>(row));
    }
    resumed_part_ = -1;  // what the first report says
    return front;
  }

  /// Hands the rows `front` over, which launches have found not to overlap, unless one of those
  /// that are under way finds that others do: then false. Waits for all of them.
  bool save(const Front& front) {
    dist::State state;
    state.engine = kRows;
    state.numbers = {{"rows", m_},
                     {"columns", n_},
                     {"cost", front.cost},
                     {"lo", front.lo},
                     {"hi", front.hi},
                     {"bound", bound_},
                     {"cells", static_cast<std::int64_t>(cells_)}};
    for (const std::uint32_t direction : {0u, 1u}) {
      std::vector<std::uint32_t>& kept = state.arrays.emplace_back();
      for (const std::int32_t value : device_.read(rows_, offset(front.place, direction),
                                                   static_cast<std::size_t>(front.size())))
        kept.push_back(static_cast<std::uint32_t>(value));
    }
    const bool open = device_.read(status_, 0, 1)[0] == WFA_OPEN;
    if (open) problem_.checkpoint->save(std::move(state));
    return open;
  }

  ocl::Buffer<std::int32_t>& rows() { return most_kept_ > 0 ? kept_.buffers.back() : rows_; }

  std::uint32_t offset(std::uint32_t place, std::uint32_t direction) const {
    if (most_kept_ > 0)
      return static_cast<std::uint32_t>(kept_.places[place].at + direction * capacity_);
    return static_cast<std::uint32_t>((2 * place + direction) * capacity_);
  }

  void launch(const Front& from, const Front& facing, const Front& to, int number) {
    const Stage& stage = stage_for(from.size());
    const int steps = static_cast<int>(to.cost - from.cost);
    const std::int64_t width = stage.tile() - 2 * steps;
    const auto groups = static_cast<std::size_t>((to.size() + width - 1) / width);
    const auto group = static_cast<std::size_t>(stage.group);
    kernel(stage)(ocl::Range{groups * group, 2, group, 1}, a_, b_, a_reverse_, b_reverse_,
                  static_cast<std::uint32_t>(m_), static_cast<std::uint32_t>(n_), rows(),
                  static_cast<std::uint32_t>(capacity_), offset(from.place, 0),
                  static_cast<std::int32_t>(from.lo), static_cast<std::int32_t>(from.hi),
                  offset(facing.place, 1), static_cast<std::int32_t>(facing.lo),
                  static_cast<std::int32_t>(facing.hi), offset(to.place, 0),
                  static_cast<std::int32_t>(to.lo), static_cast<std::int32_t>(to.hi),
                  static_cast<std::int32_t>(from.cost), steps, number, status_);
  }

  void open_status() {
    const std::array<std::int32_t, 2> open{
        WFA_OPEN, static_cast<std::int32_t>(std::min<std::int64_t>(bound_, WFA_OPEN))};
    device_.write(status_, 0, std::span<const std::int32_t>(open));
  }

  /// Takes launches of `finest` steps (0: as many as the stage has) until rows overlap or no
  /// distance within the bound is left. Returns the last rows that do not overlap and leaves the
  /// first that do in after_ and the steps between them in taken_.
  std::optional<Front> advance(const Front& start, int finest) {
    open_status();
    std::vector<Front> fronts{start};
    std::vector<ocl::Pending<std::int32_t>> reads;
    std::vector<Front> checked;  // the last row that each read knows of
    // What a read will tell is known later: two batches are under way, so that the device never
    // waits for the host.
    int batch = std::min(plan_.batch, finest > 0 ? 8 : 4);
    bool last = false;
    while (true) {
      const std::size_t enqueued = fronts.size();
      for (int i = 0; i < batch && !last; ++i) {
        const Front& from = fronts.back();
        last = 2 * from.cost >= bound_;
        const std::int64_t wanted = finest > 0 ? finest : stage_for(from.size()).steps;
        // No step where nothing is left to find: the launch only looks for the overlap.
        const std::int64_t steps = last ? 0 : std::min(wanted, (bound_ + 1) / 2 - from.cost);
        Front to = last ? from : after(from, steps);
        place(to, from);
        launch(from, from, to, static_cast<int>(fronts.size()) - 1);
        cells_ += cells_between(from, to);
        fronts.push_back(to);
      }
      if (fronts.size() > enqueued) {
        reads.push_back(device_.read_later(status_, 0, 2));
        checked.push_back(fronts[fronts.size() - 2]);  // read by the last launch before
      }
      if (reads.size() < 2 && !last) continue;
      const std::vector<std::int32_t> status = reads.front().wait();
      reads.erase(reads.begin());
      bound_ = std::min<std::int64_t>(bound_, status[1]);
      // Symbols that both directions together have come along for each edit.
      const std::int64_t along = std::max(m_, n_) - (bound_ - 2 * checked.front().cost);
      dense_ = along > kDense * 2 * checked.front().cost;
      if (status[0] != WFA_OPEN) {
        const auto met = static_cast<std::size_t>(status[0]);
        if (met == 0) throw CheckError("rows overlap that did not before; please report this");
        // Later launches did nothing.
        for (std::size_t i = met + 1; i < fronts.size(); ++i)
          cells_ -= cells_between(fronts[i - 1], fronts[i]);
        // A test of no steps may repeat a row; the row before is the one `steps` earlier.
        for (std::size_t i = 0; i < met; ++i) keep(fronts[i]);
        after_ = fronts[met];
        if (most_kept_ > 0) {  // what was launched later is not written
          const Kept::Place& place = kept_.places[after_.place];
          if (place.buffer + 1 == kept_.buffers.size())
            used_ = place.at + static_cast<std::uint32_t>(after_.size());
        }
        taken_ = static_cast<int>(fronts[met].cost - fronts[met - 1].cost);
        return fronts[met - 1];
      }
      if (last && reads.empty()) {
        // Where a path within the limit was seen, the wavefronts must have met.
        if (bound_ < plan_.max_distance)
          throw CheckError("two wavefronts passed each other; please report this");
        return std::nullopt;
      }
      // Once rows have met the answer is a few launches away: that is not given up any more.
      bool ends = finest == 0 && report(checked.front(), status[1]);
      // The last launch has read the row before the one that it wrote, and found no overlap, if it
      // does not say so; both are still there.
      if (finest == 0 && problem_.checkpoint != nullptr && fronts.size() > 1 &&
          (problem_.checkpoint->due() || ends))
        ends &= save(fronts[fronts.size() - 2]);
      if (ends) {
        given_up_ = true;
        return std::nullopt;
      }
      checked.erase(checked.begin());
      batch = std::min(2 * batch, plan_.batch);
    }
  }

  static double cells_between(const Front& from, const Front& to) {
    return 2.0 * static_cast<double>(to.cost - from.cost) * static_cast<double>(to.size());
  }

  /// Whether the forward row of `forward` and the backward row of `backward` overlap.
  bool meets(const Front& forward, const Front& backward) {
    open_status();
    Front to = forward;
    if (most_kept_ > 0) {
      make_room(3 * forward.size() + backward.size());
      bring(forward);
      bring(backward);
      place(to, forward);
    } else {
      for (to.place = 0; to.place == forward.place || to.place == backward.place;) ++to.place;
    }
    launch(forward, backward, to, 0);
    return device_.read(status_, 0, 1)[0] != WFA_OPEN;
  }

  /// Says how far the run is; true if it is to give up.
  bool report(const Front& front, std::int64_t bound) {
    if (!problem_.progress && !problem_.give_up) return false;
    Progress progress;
    progress.cost = 2 * front.cost;
    // Launches that turn out to have come after the meeting are taken back, but not here.
    progress.cells = reported_ = std::max(reported_, cells_);
    // Where the rows are apart by `gap` symbols, as much cost again for each symbol.
    const std::int64_t gap = bound - progress.cost;
    if (gap > 0 && gap < n_) {
      const double done = 1 - static_cast<double>(gap) / static_cast<double>(std::max(m_, n_));
      const double cost = static_cast<double>(progress.cost) / std::max(done, 1e-9);
      progress.expected = std::min(static_cast<std::int64_t>(cost), bound);
      const double part = static_cast<double>(progress.cost) / std::max(cost, 1.0);
      progress.part = std::min(1.0, part * part);
    }
    // Some drivers compile once more at the first launch, so time counts from the first report on.
    if (!reporting_from_) reporting_from_ = seconds();
    progress.seconds = seconds() - *reporting_from_;
    if (problem_.checkpoint != nullptr) progress.saved = problem_.checkpoint->age();
    if (resumed_part_ < 0) resumed_part_ = progress.part;
    progress.resumed = resumed_part_;
    return rhomb::report(problem_, progress);
  }

  /// Of computing so far.
  double seconds() const { return now() - start_ - building_; }

  ocl::Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  std::uint64_t most_kept_;  ///< bytes; 0: no rows are kept
  std::int64_t m_;
  std::int64_t n_;
  std::int64_t bound_;  ///< the distance is at most this, or of no interest
  std::uint32_t a_reverse_ = 0;
  std::uint32_t b_reverse_ = 0;
  ocl::Buffer<std::uint32_t> a_;
  ocl::Buffer<std::uint32_t> b_;
  ocl::Buffer<std::int32_t> rows_;    ///< three places, two directions each
  ocl::Buffer<std::int32_t> status_;  ///< see wfa/fused.cl
  std::int64_t capacity_ = 0;         ///< diagonals a row has room for; all, where rows are kept
  Kept kept_;
  std::uint32_t used_ = 0;  ///< of capacity_, where rows are kept
  std::map<const Stage*, ocl::Kernel> kernels_;
  Front after_;
  int taken_ = 0;
  bool given_up_ = false;
  bool dense_ = false;  ///< see Stage::dense_matches
  double cells_ = 0;
  double reported_ = 0;
  double resumed_part_ = 0;
  double start_ = 0;
  std::optional<double> reporting_from_;
  double building_ = 0;  ///< seconds for building and testing programs
  double transfer_ = 0;
};

}  // namespace

Answer run_meeting(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return Meeting(*device, plan, problem, 0).run();
}

Met meet_keeping(ocl::Device& device, const Plan& plan, const Problem& problem, std::int64_t prefix,
                 std::uint64_t most_bytes) {
  // Rows run past the ends of the texts, by the distance at most.
  if (problem.b.size() > WFA_BIAS || problem.a.size() > WFA_BIAS)
    throw MemoryError("wavefronts of so long texts keep no rows");
  Plan narrow = plan;  // to walk through n edits takes n^2 cells
  for (Stage& stage : narrow.stages) stage.steps = std::min(stage.steps, kKeptSteps);
  Meeting meeting(device, narrow, problem, std::max<std::uint64_t>(most_bytes, 1));
  Met met{meeting.run(prefix), std::nullopt};
  if (met.answer.distance) met.fronts.emplace(meeting.kept());
  return met;
}

}  // namespace rhomb::wfa
