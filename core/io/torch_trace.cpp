#include "io/torch_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "io/json_fields.hpp"

namespace sluice {
namespace {

constexpr double kNsPerUs = 1000;
constexpr double kMostUs = static_cast<double>(kMostNs) / kNsPerUs;

/// What a name says; stage and microbatch -1 where it does not.
struct Action {
  OpKind kind = OpKind::Forward;
  std::int32_t stage = -1;
  std::int32_t microbatch = -1;
};

/// Takes digits off the front; -1 when there are none or too many.
std::int32_t take_number(std::string_view& text) {
  constexpr std::size_t kMostDigits = 7;
  std::size_t n = 0;
  std::int32_t value = 0;
  while (n < text.size() && n <= kMostDigits && text[n] >= '0' && text[n] <= '9')
    value = value * 10 + (text[n++] - '0');
  text.remove_prefix(n);
  return n == 0 || n > kMostDigits ? -1 : value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Action> action_of(std::string_view name) {
  Action out;
  if (take(name, "Optimizer.step#")) {
    out.kind = OpKind::Update;
    return out;
  }
  const bool forward = take(name, "Forward ");
  if (forward || take(name, "Backward ")) {
    out.kind = forward ? OpKind::Forward : OpKind::Backward;
    out.microbatch = take_number(name);
    return out.microbatch >= 0 && name.empty() ? std::optional(out) : std::nullopt;
  }
  take(name, "PP:");
  out.stage = take_number(name);
  constexpr std::string_view kLetters = "FBIW";
  const std::size_t letter = name.empty() ? std::string_view::npos : kLetters.find(name.front());
  if (out.stage < 0 || letter == std::string_view::npos) return std::nullopt;
  constexpr OpKind kKinds[] = {OpKind::Forward, OpKind::Backward, OpKind::InputGrad,
                               OpKind::WeightGrad};
  out.kind = kKinds[letter];
  name.remove_prefix(1);
  out.microbatch = take_number(name);
  return out.microbatch >= 0 && name.empty() ? std::optional(out) : std::nullopt;
}

/// Counts lines as the parser goes, so that what it finds has a place.
class CountingIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
};

class Reader {
 public:
  Result<RankTrace> read(std::string_view text) {
    parse(text);
    if (problems_.empty() && rank_ < 0) {
      problems_.add(Code::TraceRanks, 1,
                    "no `distributedInfo` with a `rank`: record with torch.distributed set up");
    }
    if (problems_.empty() && !any_work()) {
      problems_.add(Code::TraceEmpty, 1,
                    "none of " + std::to_string(seen_) +
                        " events has a name of torch.distributed.pipelining (PP:0F3, 0F3, "
                        "Forward 3)");
    }
    if (!problems_.empty()) return problems_.all();
    return finish();
  }

 private:
  struct Named {
    Action action;
    bool gpu = false;
    /// Process and thread, or stream.
    std::string track;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };

  void parse(std::string_view text) {
    line_ = 1;
    const auto keep = [&](int depth, Json::parse_event_t event, Json& value) {
      if (depth == 0 && event == Json::parse_event_t::array_start) bare_list_ = true;
      if (depth == 1 && event == Json::parse_event_t::key) key_ = value.get<std::string>();
      if (event != Json::parse_event_t::object_end) return true;
      if (depth == 1 && !bare_list_ && key_ == "distributedInfo") read_rank(value);
      const bool in_list = bare_list_ ? depth == 1 : depth == 2 && key_ == "traceEvents";
      if (!in_list) return true;
      read_event(value);
      return false;
    };
    try {
      const char* begin = text.data();
      const Json rest = Json::parse(CountingIterator(begin, &line_),
                                    CountingIterator(begin + text.size(), &line_), keep);
      if (rest.is_object() && rest.contains("baseTimeNanoseconds")) {
        JsonFields f(rest, 1, problems_);
        base_ns_ = f.whole("baseTimeNanoseconds", kMostNs).value_or(0);
        if (std::any_of(named_.begin(), named_.end(),
                        [&](const Named& n) { return n.end_ns > kMostNs - base_ns_; }))
          f.wrong("`baseTimeNanoseconds` and `ts` together are out of range");
      }
    } catch (const Json::exception& e) {
      problems_.add(Code::TraceSyntax, line_, "the file is no JSON: " + json_problem(e.what()));
    }
  }

  void read_rank(const Json& info) {
    JsonFields f(info, line_, problems_);
    if (!f.has("rank")) return;
    const auto rank = f.whole("rank", std::numeric_limits<std::int32_t>::max());
    if (rank) rank_ = static_cast<std::int32_t>(*rank);
  }

  void read_event(const Json& event) {
    ++seen_;
    const auto name = event.find("name");
    const auto ph = event.find("ph");
    if (name == event.end() || !name->is_string() || ph == event.end() || *ph != "X") return;
    const auto action = action_of(name->get_ref<const std::string&>());
    if (!action) return;
    JsonFields f(event, line_, problems_);
    const auto ts = f.number("ts");
    const auto dur = f.number("dur");
    if (!ts || !dur) return;
    if (*dur < 0 || *ts < 0 || *ts + *dur > kMostUs) {
      f.wrong(*dur < 0 ? "`dur` is negative: it ends before it starts" : "`ts` is out of range");
      return;
    }
    Named out;
    out.action = *action;
    const auto cat = event.find("cat");
    out.gpu = cat != event.end() && *cat == "gpu_user_annotation";
    for (const char* key : {"pid", "tid"}) {
      const auto id = event.find(key);
      out.track += (id == event.end() ? "" : json_text(*id)) + "/";
    }
    out.start_ns = static_cast<std::int64_t>(std::floor(*ts * kNsPerUs + 0.5));
    out.end_ns = static_cast<std::int64_t>(std::floor((*ts + *dur) * kNsPerUs + 0.5));
    named_.push_back(std::move(out));
  }

  [[nodiscard]] bool any_work() const {
    return std::any_of(named_.begin(), named_.end(),
                       [](const Named& n) { return n.action.kind != OpKind::Update; });
  }

  /// The GPU's stream with most pipeline work; "" when there are only the host's events.
  [[nodiscard]] std::string busiest_stream() const {
    std::map<std::string, std::int64_t> work;
    for (const Named& n : named_) {
      if (n.gpu && n.action.kind != OpKind::Update) work[n.track] += n.end_ns - n.start_ns;
    }
    const auto most = std::max_element(
        work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == work.end() ? "" : most->first;
  }

  RankTrace finish() {
    RankTrace out;
    out.rank = rank_;
    const std::string stream = busiest_stream();
    const bool gpu = !stream.empty();
    const bool gpu_updates = std::any_of(named_.begin(), named_.end(), [&](const Named& n) {
      return n.gpu && n.track == stream && n.action.kind == OpKind::Update;
    });
    for (const Named& n : named_) {
      const bool update = n.action.kind == OpKind::Update;
      const bool taken = gpu && (!update || gpu_updates) ? n.gpu && n.track == stream : !n.gpu;
      if (!taken) continue;
      out.events.push_back({n.action.kind, rank_, n.action.stage, 0, n.action.microbatch,
                            base_ns_ + n.start_ns, base_ns_ + n.end_ns});
    }
    out.host_times = !gpu;
    number_iterations(out.events);
    return out;
  }

  // Several optimizers of a rank are one update.
  static void number_iterations(std::vector<OpEvent>& events) {
    sort_events(events);
    std::set<std::tuple<OpKind, std::int32_t, std::int32_t>> done;
    std::int32_t iteration = 0;
    std::vector<OpEvent> out;
    for (OpEvent& e : events) {
      if (e.pipelined() && !done.emplace(e.kind, e.stage, e.microbatch).second) {
        done.clear();
        done.emplace(e.kind, e.stage, e.microbatch);
        ++iteration;
      }
      e.iteration = iteration;
      const bool goes_on = !out.empty() && e.kind == OpKind::Update &&
                           out.back().kind == OpKind::Update && out.back().iteration == iteration;
      if (goes_on) {
        out.back().end_ns = std::max(out.back().end_ns, e.end_ns);
      } else {
        out.push_back(e);
      }
    }
    events = std::move(out);
  }

  ProblemList problems_;
  std::vector<Named> named_;
  std::string key_;
  bool bare_list_ = false;
  int line_ = 1;
  std::int64_t seen_ = 0;
  std::int64_t base_ns_ = 0;
  std::int32_t rank_ = -1;
};

}  // namespace

Result<RankTrace> read_torch_trace(std::string_view text) {
  return Reader().read(text);
}

}  // namespace sluice
