#include "measure/traced_run.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sluice {
namespace {

// The k-th of its kind in an iteration is microbatch k.
void number_microbatches(std::vector<OpEvent>& events) {
  std::map<std::tuple<OpKind, std::int32_t, std::int32_t>, std::int32_t> next;
  for (OpEvent& e : events) {
    std::int32_t& k = next[{e.kind, e.stage, e.iteration}];
    if (e.microbatch < 0) e.microbatch = k;
    ++k;
  }
}

// Of events by start.
bool spans_too_long(const std::vector<OpEvent>& events) {
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  constexpr std::int64_t kMostDays = 100;
  std::int64_t end = 0;
  for (const OpEvent& e : events) end = std::max(end, e.end_ns);
  return !events.empty() && end - events.front().start_ns > kMostDays * kDayNs;
}

class Joiner {
 public:
  explicit Joiner(std::vector<RankTrace> files) : files_(std::move(files)) {
    std::stable_sort(files_.begin(), files_.end(),
                     [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  }

  Result<TracedRun> join() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!prepare(i)) continue;
      find_stages(i);
    }
    if (!problems_.empty()) return problems_;
    TracedRun out;
    for (const auto& [stage, place] : holder_) {
      if (out.stages < stage) {
        refuse(place, "stage " + std::to_string(stage) + " is here, stage " +
                          std::to_string(out.stages) + " in no file");
        out.stages = stage;
      }
      out.place_of_stage.push_back(place);
      ++out.stages;
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::vector<OpEvent>& events = files_[i].events;
      const bool works =
          std::any_of(events.begin(), events.end(), [](const OpEvent& e) { return e.pipelined(); });
      if (!works) refuse(i, "no forward or backward in this file");
      out.events.insert(out.events.end(), events.begin(), events.end());
      events.clear();
    }
    if (!problems_.empty()) return problems_;
    out.ranks = std::move(files_);
    sort_events(out.events);
    return out;
  }

 private:
  void refuse(std::size_t i, std::string message, std::string hint = "",
              Code code = Code::TraceRanks) {
    Diagnostic d = error(code, files_[i].source, std::move(message), std::move(hint));
    d.line = d.column = 1;
    problems_.push_back(std::move(d));
  }

  // Sorts a file's events and fills in what was not recorded; false when it cannot be used.
  bool prepare(std::size_t i) {
    RankTrace& file = files_[i];
    const std::string rank = "rank " + std::to_string(file.rank);
    if (i > 0 && file.rank == files_[i - 1].rank) {
      refuse(i, rank + " is also in " + files_[i - 1].source);
      return false;
    }
    sort_events(file.events);
    if (spans_too_long(file.events)) {
      refuse(i, "its events lie more than 100 days apart", "", Code::TraceField);
      return false;
    }
    const auto place = static_cast<std::int32_t>(i);
    const bool stageless =
        std::any_of(file.events.begin(), file.events.end(),
                    [](const OpEvent& e) { return e.pipelined() && e.stage < 0; });
    if (stageless && file.rank != place) {
      refuse(i, rank + " is here, rank " + std::to_string(place) + " in no file",
             "its events do not name their stage, so that ranks must count from 0");
      return false;
    }
    for (OpEvent& e : file.events) {
      if (e.stage < 0) e.stage = place;
    }
    number_microbatches(file.events);
    return true;
  }

  void find_stages(std::size_t i) {
    for (const OpEvent& e : files_[i].events) {
      // An update belongs to the rank, whatever stage it names.
      if (!e.pipelined()) continue;
      const auto [known, added] = holder_.emplace(e.stage, i);
      if (added || known->second == i) continue;
      refuse(i, "stage " + std::to_string(e.stage) + " is also in " + files_[known->second].source,
             "give the files of one pipeline: replicas and tensor-parallel ranks are left out");
      return;
    }
  }

  std::vector<RankTrace> files_;
  /// By stage: the file that has it.
  std::map<std::int32_t, std::size_t> holder_;
  Diagnostics problems_;
};

}  // namespace

void sort_events(std::vector<OpEvent>& events) {
  std::stable_sort(events.begin(), events.end(), [](const OpEvent& a, const OpEvent& b) {
    return std::tie(a.start_ns, a.end_ns, a.stage, a.rank) <
           std::tie(b.start_ns, b.end_ns, b.stage, b.rank);
  });
}

Result<TracedRun> join_ranks(std::vector<RankTrace> files) {
  return Joiner(std::move(files)).join();
}

}  // namespace sluice
