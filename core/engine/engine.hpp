// The discrete-event engine: plays a Program into a Trace.
// One instant has two phases: first all events of one time in the order they were pushed, then the
// devices they touched are asked, by ascending index, what to start. It never looks at the clock
// and two engines never meet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "engine/event_queue.hpp"
#include "engine/program.hpp"
#include "schedule/policy.hpp"
#include "trace/trace.hpp"

namespace sluice {

/// Outages of a run, as they happened.
struct FailureLog {
  std::uint64_t count = 0;
  Duration downtime;
  /// Work that was interrupted and done again; none when outages only delay starts.
  Duration lost_work;
};

class Engine {
 public:
  /// The program must outlive the engine. `recycled` lends its memory to the new trace: a run after
  /// a run then touches no fresh pages.
  explicit Engine(const Program& program, Trace recycled = {});
  explicit Engine(Program&&, Trace = {}) = delete;

  /// Applies up to `events` more events; true when the run is over (finished, stuck or beyond the
  /// time limit). Cost: O(events log pending); no allocation once the trace has its size.
  bool step(std::uint64_t events);

  [[nodiscard]] bool finished() const { return finished_; }
  /// Why the run could not finish: order.deadlock naming what each rank waits for, or limit.time.
  /// Empty when it did.
  [[nodiscard]] const Diagnostics& problems() const { return problems_; }
  /// Segments begun so far, and how many a run without failures has: progress.
  [[nodiscard]] std::uint64_t segments() const { return rows_; }
  [[nodiscard]] std::uint64_t expected_segments() const;
  [[nodiscard]] std::uint64_t events() const { return trace_.events; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const FailureLog& failures() const { return failures_; }
  /// The rows so far; complete once finished.
  [[nodiscard]] const Trace& trace() const { return trace_; }
  Trace take_trace() { return std::move(trace_); }

 private:
  static constexpr std::int64_t kNoisy = -1;
  /// End of a transfer that shares its link or waits for it.
  static constexpr std::int64_t kUnknown = INT64_MAX;
  static constexpr std::int32_t kIdle = -1;
  static constexpr std::int32_t kUpdating = -2;

  struct Rank {
    /// Static orders: the next operation and the end of the list.
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    /// The running one.
    Operation current;
    std::uint32_t row = kNoRow;
    std::uint32_t batch = 0;
    /// Completed in this batch.
    std::uint32_t forwards = 0;
    std::uint32_t backwards = 0;
    std::uint32_t weights = 0;
    bool waits_for_update = false;
  };
  struct DeviceState {
    std::int64_t free_at = 0;
    std::int64_t down_until = -1;
    /// Time of the last wake that was asked for, so that it is not asked for twice.
    std::int64_t wake_at = -1;
    /// Rank that runs here, kIdle or kUpdating.
    std::int32_t running = kIdle;
    std::uint32_t last_row = kNoRow;
    std::uint32_t update_row = kNoRow;
    /// Rank whose operation an outage interrupted, or kIdle.
    std::int32_t interrupted = kIdle;
    bool update_waits = false;
    bool touched = false;
  };
  /// What one stage needs at every operation, together.
  struct StageTable {
    /// By kind: picoseconds, or kNoisy.
    std::int64_t duration[kComputeKinds] = {};
    Hop forward;
    Hop backward;
  };
  /// A transfer on its way.
  struct Flow {
    /// While it shares a link: through when the link's virtual time reaches this.
    double tag = 0;
    /// Time its bytes take with the whole bandwidth.
    std::int64_t wire_ps = 0;
    std::int64_t latency_ps = 0;
    std::uint32_t row = kNoRow;
    std::uint32_t microbatch = 0;
    /// Stage that receives; kNoStage for a share of a collective.
    std::uint16_t to_stage = kNoStage;
    /// Lost in an outage: gets a row of its own when it is sent again.
    bool restart = false;
  };
  struct LinkState {
    /// A transfer alone on the link, until another joins it; its end needs no further event.
    Flow solo;
    std::int64_t solo_until = -1;
    /// Virtual time advances by 1/n of real time while n transfers share the link.
    double virtual_now = 0;
    std::int64_t updated_at = 0;
    std::uint32_t generation = 0;
    /// Sorted by tag, the first through next.
    std::vector<Flow> flows;
    /// Asked for while the link was down.
    std::vector<Flow> waiting;
    /// Ends of transfers whose rate was fixed at their start.
    std::vector<std::int64_t> ends;
    std::int64_t down_until = -1;
  };

  // Rows (engine.cpp).
  std::uint32_t add_row(std::int64_t end, OpKind kind, std::uint32_t resource, std::uint16_t stage,
                        std::uint32_t index, std::uint32_t predecessor);
  void grow_rows();
  void touch(std::uint32_t device);

  [[nodiscard]] std::uint32_t& input(std::uint32_t stage, std::uint32_t microbatch) {
    return inputs_[stage * slot_stride_ + microbatch];
  }
  [[nodiscard]] std::uint32_t& gradient(std::uint32_t stage, std::uint32_t microbatch) {
    return gradients_[stage * slot_stride_ + microbatch];
  }
  [[nodiscard]] bool arrived(std::uint32_t row) const {
    return row != kNoRow && trace_.end[row] <= now_;
  }

  // Compute (engine.cpp).
  void ask(std::uint32_t device);
  bool start_static(std::uint32_t device, std::uint32_t rank);
  bool start_policy(std::uint32_t device, std::uint32_t rank);
  void start(std::uint32_t device, std::uint32_t rank, const Operation& op,
             std::uint32_t input_row);
  void compute_end(const Event& e);
  void wake(std::uint32_t device, std::int64_t time);
  void wake_for(std::uint32_t device, std::uint32_t row);
  std::int64_t noisy_duration(const Operation& op, std::uint32_t batch);

  // Transfers (transfers.cpp).
  void send(const Hop& hop, OpKind kind, std::uint16_t stage, std::uint16_t to_stage,
            std::uint32_t microbatch, std::uint32_t batch, std::uint32_t from_row);
  void announce(std::uint16_t to_stage, std::uint32_t device, OpKind kind, std::uint32_t microbatch,
                std::uint32_t row);
  void transfer(std::uint32_t link, const Flow& flow);
  void begin_on_link(std::uint32_t link, const Flow& flow);
  void share_link(LinkState& link, std::uint32_t index, const Flow& flow);
  void schedule_head(LinkState& link, std::uint32_t index);
  void link_head(const Event& e);
  void finish_flow(const Flow& flow, std::int64_t wire_end);

  // Batches and the optimizer phase (batches.cpp).
  void begin_batch();
  void operation_done();
  void batch_done();
  void begin_collective_round();
  void collective_end(const Event& e);
  void begin_updates();
  void begin_update(std::uint32_t slot);
  void update_end(const Event& e);
  void next_batch();
  void rank_finished_batch(std::uint32_t rank);
  void begin_rank_batch(std::uint32_t rank);
  [[nodiscard]] bool update_due(std::uint32_t batch) const;

  // Outages (outages.cpp).
  void failure_check(const Event& e);
  void fail_device(std::uint32_t device);
  void fail_link(std::uint32_t link);
  void device_recovery(const Event& e);
  void link_recovery(const Event& e);
  void lose_row(std::uint32_t row);
  std::uint32_t& slot_of(const Flow& flow);
  std::int64_t begin_outage(std::uint32_t resource, EventKind recovery, std::uint32_t index);

  void apply(const Event& e);
  void report_stuck();
  void stop_at_time_limit();
  void stop_without_end();

  const Program& program_;
  std::optional<PolicyState> policy_;
  Trace trace_;
  EventQueue queue_;
  /// The row that brings a stage its input (gradient) for a microbatch, or kNoRow: set when it is
  /// sent, ready once the row has ended, emptied when it is used. Entry stage * slot_stride_ +
  /// microbatch.
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> gradients_;
  std::size_t slot_stride_ = 0;
  /// Of a static order.
  const Operation* operations_ = nullptr;
  std::vector<StageTable> table_;
  std::vector<Rank> ranks_;
  std::vector<DeviceState> devices_;
  std::vector<LinkState> links_;
  /// Devices to ask at the end of this instant, ascending.
  std::vector<std::uint32_t> touched_;

  std::int64_t now_ = 0;
  std::uint32_t rows_ = 0;
  std::size_t capacity_ = 0;
  std::size_t most_rows_ = 0;
  std::uint32_t microbatches_ = 1;
  std::uint32_t stages_ = 1;
  std::uint32_t batch_ = 0;
  std::uint64_t operations_left_ = 0;
  std::uint64_t forwards_left_ = 0;
  std::uint32_t collective_pending_ = 0;
  std::uint32_t collective_round_ = 0;
  std::uint32_t updates_pending_ = 0;
  std::uint32_t ranks_left_ = 0;
  std::uint32_t phase_row_ = kNoRow;
  /// Events in the queue that are not failure checks: none left means nothing can happen any more.
  std::uint64_t live_events_ = 0;
  bool track_outcome_ = false;
  /// Transfers neither share nor fail: each takes the same time.
  bool plain_links_ = false;
  bool finished_ = false;
  bool over_ = false;
  FailureLog failures_;
  Diagnostics problems_;
};

}  // namespace sluice
