// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: packs queries and texts, copies them to the device, launches each shape's program
// over its tasks, and fetches the answers.
#include <algorithm>
#include <optional>
#include <utility>

#include "host/batch/threads.h"
#include "host/search/internal.h"
#include "host/seq/packed.h"

namespace rhomb::search {
namespace {

/// The queue in use, until the scope ends.
class OnQueue {
 public:
  OnQueue(ocl::Device& device, std::size_t queue) : device_(device) { device_.use(queue); }
  ~OnQueue() { device_.use(0); }
  OnQueue(const OnQueue&) = delete;
  OnQueue& operator=(const OnQueue&) = delete;

 private:
  ocl::Device& device_;
};

/// How much to make where `count` values do not fit: what grew once will grow again.
std::size_t room(std::size_t before, std::size_t count) {
  const std::size_t wanted = std::max<std::size_t>(count, 1);
  return before == 0 ? wanted : wanted + wanted / 8;
}

/// Room for `count` values in memory that is used again and again. What there was goes first, so no
/// command may be under way that uses it.
template <class T>
void fit(ocl::Device& device, ocl::Buffer<T>& memory, std::size_t count) {
  const std::size_t before = memory.size();
  if (before >= std::max<std::size_t>(count, 1)) return;
  memory = {};
  memory = device.buffer<T>(room(before, count));
}
template <class T>
std::span<T> fit(ocl::Device& device, ocl::Pinned<T>& memory, std::size_t count) {
  const std::size_t before = memory.size();
  if (before < std::max<std::size_t>(count, 1)) {
    memory = {};
    memory = device.pinned<T>(room(before, count));
  }
  return memory.all().first(count);
}

/// What is packed on the host and copied to the device.
template <class T>
struct Staged {
  ocl::Pinned<T> host;
  ocl::Buffer<T> there;
  std::size_t count = 0;

  std::span<T> load(ocl::Device& device, std::size_t values) {
    count = values;
    fit(device, there, values);
    return fit(device, host, values);
  }
  void send(ocl::Device& device) { device.write_later<T>(there, 0, host.all().first(count)); }
};

}  // namespace

struct AsyncBatch::State {
  State(ocl::Device* on, std::size_t its_queue) : device(on), queue(its_queue) {}

  ocl::Device* const device;
  const std::size_t queue;
  bool busy = false;
  bool enqueued = false;  // something was, that nobody has waited for

  Staged<std::uint32_t> queries, texts;
  Staged<SearchTask> tasks;
  Staged<SearchQuery> profiled;
  ocl::Buffer<std::uint32_t> profiles, scratch;
  ocl::Buffer<SearchAnswer> answers;
  ocl::Pinned<SearchAnswer> found;

  // Of the problem that is under way.
  Plan plan;
  Problem problem;  // without what the caller may take back
  std::vector<ocl::Kernel> kernels;
  std::optional<ocl::Kernel> make_profiles;
  ocl::Fence done;
  Answer answer;
  double started = 0;

  ~State() {
    if (device == nullptr) return;
    try {
      settle();
    } catch (const std::exception&) {  // nobody is there to be told
    }
  }

  void start(const Variant& row, Plan made, const Problem& given);
  void build(const Variant& row);
  void pack(const Problem& given);
  void pack_profiles(const Problem& given, std::span<const std::uint32_t> starts,
                     std::span<std::uint32_t> places);
  void send();
  void launch(bool tell);
  Answer finish();
  void settle();
};

/// Waits for what was enqueued, whatever became of it.
void AsyncBatch::State::settle() {
  if (!std::exchange(enqueued, false)) return;
  const OnQueue use(*device, queue);
  done = {};
  device->finish();
}

void AsyncBatch::State::start(const Variant& row, Plan made, const Problem& given) {
  if (busy) throw UsageError("a batch was started that is under way");
  settle();
  plan = std::move(made);
  answer = {};
  problem = given;
  problem.queries = problem.texts = {};
  problem.tasks = {};
  problem.code = nullptr;
  if (!row.uses_opencl()) {
    answer = row.run(nullptr, plan, given);
  } else if (device == nullptr) {
    throw UsageError("variant '" + plan.variant + "' needs an OpenCL device");
  } else if (!given.tasks.empty()) {
    const double begin = now();
    build(row);
    answer.build = now() - begin;
    const OnQueue use(*device, queue);
    pack(given);
    started = now();
    answer.transfer = started - begin - answer.build;
    enqueued = true;
    const trace::Scope enqueuing(problem.trace, trace::Work::kCompute);
    send();
    launch(true);
    device->read_later<SearchAnswer>(answers, 0, found.all().first(tasks.count));
    done = device->fence();
  }
  answer.cells = plan.cells;
  answer.config = plan.config;
  busy = true;
}

void AsyncBatch::State::build(const Variant& row) {
  kernels.clear();
  for (const Shape& shape : plan.shapes) {
    ensure_tested(*device, row, plan, shape);
    kernels.push_back(device->kernel(plan.file, plan.kernel, shape.defines));
  }
  make_profiles.reset();
  if (plan.profiles)
    make_profiles = device->kernel(
        "search/profile.cl", "search_profile",
        {{"PLANES", std::to_string(plan.planes)}, {"SETS", std::to_string(plan.sets ? 1 : 0)}});
}

void AsyncBatch::State::pack(const Problem& given) {
  const trace::Scope packing(given.trace, trace::Work::kPack);
  const auto pack_texts = [&](Staged<std::uint32_t>& cargo, std::span<const std::string_view> all,
                              const std::array<std::uint8_t, 256>& code, std::size_t back) {
    std::vector<std::uint32_t> starts(all.size());
    seq::pack_batch(all, code, plan.planes,
                    cargo.load(*device, seq::batch_words(all, plan.planes, back)), starts);
    return starts;
  };
  const auto query_starts =
      pack_texts(queries, given.queries, given.code->a, seq::Planes::kBackWords);
  std::vector<std::uint32_t> own_starts;
  std::span<const std::uint32_t> text_starts;
  if (given.resident != nullptr) {
    text_starts = given.resident->starts();
  } else {
    own_starts = pack_texts(texts, given.texts, given.code->b, text_back_words(plan));
    text_starts = own_starts;
  }
  std::vector<std::uint32_t> profile_at(plan.profiles ? given.queries.size() : 0);
  if (plan.profiles) pack_profiles(given, query_starts, profile_at);

  fill_tasks(plan, given, query_starts, text_starts, profile_at,
             tasks.load(*device, given.tasks.size()));
}

/// Where the profile of each query begins; those of which no shape takes the length have none.
void AsyncBatch::State::pack_profiles(const Problem& given, std::span<const std::uint32_t> starts,
                                      std::span<std::uint32_t> places) {
  const auto out = profiled.load(*device, given.queries.size());
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto rows = static_cast<std::uint32_t>(given.queries[i].size());
    const auto shape = std::ranges::find_if(plan.shapes, [rows](const Shape& one) {
      return one.shortest <= rows && rows <= one.longest;
    });
    const std::uint32_t words =
        shape == plan.shapes.end() ? 0 : static_cast<std::uint32_t>(shape->strips);
    places[i] = static_cast<std::uint32_t>(place);
    out[i] = {starts[i], rows, words, places[i]};
    place += std::uint64_t{words} << plan.planes;
  }
  if (place > 0xffffffffu) throw MemoryError("profiles of all queries take more than 2^32 words");
  fit(*device, profiles, place);
}

void AsyncBatch::State::send() {
  // Memory first: to get some may wait for all that was enqueued.
  fit(*device, answers, tasks.count);
  fit(*device, scratch, scratch_words(plan, device->limits()));
  fit(*device, found, tasks.count);
  queries.send(*device);
  if (problem.resident == nullptr) texts.send(*device);
  if (plan.profiles) profiled.send(*device);
  tasks.send(*device);
}

/// Enqueues all launches.
void AsyncBatch::State::launch(bool tell) {
  constexpr std::size_t kAbreast = 32;  // work-items for the words of a query's profile
  if (make_profiles)
    (*make_profiles)(ocl::Range{kAbreast, profiled.count, kAbreast, 1}, queries.there,
                     profiled.there, profiles);
  const auto& text_words = problem.resident != nullptr ? problem.resident->words() : texts.there;
  double told = 0;
  for (std::size_t s = 0; s < plan.shapes.size(); ++s) {
    const Shape& shape = plan.shapes[s];
    for_launches(shape, device->limits(), [&](std::size_t first, std::size_t count) {
      const std::size_t groups = whole_groups(shape, count);
      const auto group = static_cast<std::size_t>(shape.group);
      kernels[s](ocl::Range{groups * group, 1, group, 1}, plan.profiles ? profiles : queries.there,
                 text_words, tasks.there, static_cast<std::uint32_t>(first),
                 static_cast<std::uint32_t>(count), answers, scratch,
                 static_cast<std::uint32_t>(shape.strips),
                 static_cast<std::uint32_t>(groups * static_cast<std::size_t>(shape.tasks)));
      told += static_cast<double>(count);
      if (tell && problem.progress)
        problem.progress({0, 0, 0, told / static_cast<double>(tasks.count)});
    });
  }
}

Answer AsyncBatch::State::finish() {
  if (!std::exchange(busy, false)) throw UsageError("no batch was started");
  if (!enqueued) return std::move(answer);
  const OnQueue use(*device, queue);
  {
    const trace::Scope scope(problem.trace, trace::Work::kCompute);
    done.wait();
  }
  enqueued = false;
  const trace::Scope taking(problem.trace, trace::Work::kFetch, "answers");
  answer.best.resize(tasks.count);
  batch::in_parts(tasks.count, batch::parts_of(tasks.count, problem.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i)
                      answer.best[i] = {found[i].distance, found[i].end};
                  });
  answer.compute = now() - started;

  std::vector<double> times;
  for (int i = 0; i < problem.repeats; ++i) {
    const double before = now();
    launch(false);
    device->fence().wait();
    times.push_back(now() - before);
  }
  if (!times.empty()) {
    std::ranges::sort(times);
    answer.kernel = times[times.size() / 2];
  }
  return std::move(answer);
}

AsyncBatch::AsyncBatch(ocl::Device* device, std::size_t queue)
    : state_(std::make_unique<State>(device, queue)) {}
AsyncBatch::~AsyncBatch() = default;
AsyncBatch::AsyncBatch(AsyncBatch&&) noexcept = default;
AsyncBatch& AsyncBatch::operator=(AsyncBatch&&) noexcept = default;

void AsyncBatch::start(const Variant& row, const Problem& problem, const tune::Config& config) {
  if (busy()) throw UsageError("a batch was started that is under way");
  const ocl::Limits limits = row.uses_cuda()             ? row.cuda_device().limits
                             : state_->device != nullptr ? state_->device->limits()
                                                         : ocl::Limits{};
  state_->start(row, plan(row, problem, limits, config), problem);
}

void AsyncBatch::start(const Variant& row, Plan plan, const Problem& problem) {
  state_->start(row, std::move(plan), problem);
}

bool AsyncBatch::busy() const { return state_->busy; }

Answer AsyncBatch::finish() { return state_->finish(); }

Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem) {
  AsyncBatch batch(device);
  batch.start(find_variant(variants(), plan.variant), plan, problem);
  return batch.finish();
}

}  // namespace rhomb::search
