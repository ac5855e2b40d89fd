#include "metrics/slack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice {
namespace {

class Latest {
 public:
  Latest(const Trace& trace, const IdleTime& idle)
      : trace_(trace), plays_(idle.plays()), inputs_(idle.inputs()), end_(trace.rows()) {}

  std::vector<std::int64_t> run() {
    for (std::size_t row = 0; row < trace_.rows(); ++row) end_[row] = limit(row);
    std::vector<std::uint32_t> before = rows_before();
    // What a row holds up always comes after it in the trace.
    for (std::size_t i = trace_.rows(); i-- > 0;) {
      const auto row = static_cast<std::uint32_t>(i);
      if (trace_.kind_at(row) == OpKind::Failure) continue;
      if (trace_.second_half(row)) end_[row - 1] = std::min(end_[row - 1], end_[row]);
      const std::int64_t starts = end_[row] - (trace_.end[row] - trace_.start[row]);
      not_after(before[row], row, starts);
      if (trace_.per_microbatch(row) && trace_.resource[row] < trace_.devices)
        not_after(inputs_.from_elsewhere(row), row, starts);
      // It may have waited for more than the row that decided: then its distance stays.
      const std::uint32_t decided = trace_.predecessor[row];
      if (decided != kNoRow)
        not_after(decided, row, starts - (trace_.start[row] - trace_.end[decided]));
    }
    for (std::size_t row = 0; row < trace_.rows(); ++row)
      end_[row] = std::max<std::int64_t>(0, end_[row] - trace_.end[row]);
    return std::move(end_);
  }

 private:
  [[nodiscard]] std::int64_t limit(std::size_t row) const {
    if (trace_.kind_at(row) == OpKind::Failure) return trace_.end[row];
    const PlayTimes& play = plays_.plays()[plays_.play_of(row)];
    return plays_.in_phase(row) ? play.ended : play.worked;
  }

  void not_after(std::uint32_t row, std::uint32_t of, std::int64_t time) {
    // Steps follow one another whatever happens in them.
    if (row == kNoRow || plays_.play_of(row) != plays_.play_of(of)) return;
    if (plays_.in_phase(row) != plays_.in_phase(of)) return;
    end_[row] = std::min(end_[row], time);
  }

  // The row before each in its device's lane.
  [[nodiscard]] std::vector<std::uint32_t> rows_before() const {
    std::vector<std::uint32_t> out(trace_.rows(), kNoRow);
    for (std::uint32_t device = 0; device < trace_.devices; ++device) {
      std::uint32_t last = kNoRow;
      for (const std::uint32_t row : plays_.lane(device)) {
        out[row] = last;
        last = row;
      }
    }
    return out;
  }

  const Trace& trace_;
  const Plays& plays_;
  const Inputs& inputs_;
  std::vector<std::int64_t> end_;
};

}  // namespace

std::vector<std::int64_t> slack(const Program& program, const Trace& trace, const IdleTime& idle) {
  if (program.simulation.communication != Communication::Async) return {};
  return Latest(trace, idle).run();
}

}  // namespace sluice
