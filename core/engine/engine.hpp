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
  /// Of all parts together.
  Duration downtime;
  /// Computing and sending that was interrupted, or thrown away, and done again; none when outages
  /// only delay starts.
  Duration lost_work;

  // Where steps are begun anew; of the run's own time.
  std::uint64_t rollbacks = 0;
  std::uint64_t checkpoints = 0;
  /// From the step that was gone back to until the failure.
  Duration lost_time;
  /// From a failure until work went on.
  Duration recovering;
  /// Writing checkpoints.
  Duration saving;
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
  /// An overlapped cell takes as long as its halves one after the other.
  static constexpr std::int64_t kSum = -2;
  /// End of a transfer that shares its link or waits for it.
  static constexpr std::int64_t kUnknown = INT64_MAX;
  static constexpr std::int32_t kIdle = -1;
  static constexpr std::int32_t kUpdating = -2;
  static constexpr std::int32_t kRecovering = -3;

  // One cache line each: with hundreds of ranks an event finds none of its own in the first cache.
  static constexpr std::size_t kLine = 64;
  static constexpr std::uint32_t kSlotsOfLine = kLine / sizeof(std::uint32_t);

  struct alignas(kLine) Rank {
    /// Static orders: the next operation and the end of the list.
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    /// The running one, and the backward that it overlaps (kind Forward when none).
    Operation current;
    Operation other;
    std::uint32_t row = kNoRow;
    std::uint32_t batch = 0;
    /// Completed in this batch.
    std::uint32_t forwards = 0;
    std::uint32_t backwards = 0;
    std::uint32_t weights = 0;
    /// Stage whose weights it holds.
    std::uint16_t holds = kNoStage;
    bool waits_for_update = false;
  };
  /// Where a rank stands that updates its own weights between its operations.
  struct RankUpdates {
    /// The next of Order::updates, and the end of the rank's.
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    /// Of the rank's sums the one that it takes part in next, and of which update.
    std::uint32_t sum = 0;
    std::uint32_t number = 0;
    /// It waits for the others in that one.
    bool joined = false;
    /// The sum that ended last.
    std::uint32_t sum_row = kNoRow;
  };
  struct alignas(kLine) DeviceState {
    std::int64_t free_at = 0;
    std::int64_t down_until = -1;
    /// Time of the last wake that was asked for, so that it is not asked for twice.
    std::int64_t wake_at = -1;
    /// Rank that runs here, kIdle, kUpdating or kRecovering.
    std::int32_t running = kIdle;
    std::uint32_t last_row = kNoRow;
    std::uint32_t update_row = kNoRow;
    /// Rank whose operation an outage interrupted, or kIdle.
    std::int32_t interrupted = kIdle;
    /// Of its outage.
    std::uint32_t down_row = kNoRow;
    /// Its ranks: entries of Program::ranks_of_device.
    std::uint32_t first_rank = 0;
    std::uint32_t end_rank = 0;
    bool update_waits = false;
    bool touched = false;
  };
  /// What the forwards, or the backwards, of a stage need at every operation, together.
  struct alignas(kLine) StageSide {
    /// F and FB, or B, I and W: picoseconds, kNoisy or kSum.
    std::int64_t duration[3] = {};
    /// Of its output: the parts of its Hop that every transfer needs, and the rank that receives.
    std::int64_t wire_ps = 0;
    std::int64_t latency_ps = 0;
    std::uint32_t link = kNoLink;
    std::uint32_t to_device = 0;
    std::uint32_t to_rank = 0;
    /// Slot, in `slots_`, of its microbatch 0 and of the one that its output goes to.
    std::uint32_t own = 0;
    std::uint32_t to = 0;
    /// Takes an input from elsewhere; has somewhere to send.
    bool waits = false;
    bool sends = false;
    /// Its transfers are not all alike: the Hop has a say.
    bool varied = false;
  };
  static_assert(sizeof(StageSide) == kLine);
  /// A send or a receive that has not begun.
  struct Pending {
    Operation op;
    std::uint32_t batch = 0;
    std::uint32_t from_row = kNoRow;
    std::uint32_t slot = 0;
    bool receive = false;
  };
  /// A blocking call of a framework: sends that have not begun, and what is received in it.
  struct Call {
    std::vector<Pending> sends;
    std::vector<std::uint32_t> slots;
  };
  enum class CallState : std::uint8_t { Idle, Before, Waiting, After };
  /// What a rank communicates, where that is not free to overlap everything.
  struct Stream {
    /// In order.
    std::vector<Pending> waiting;
    /// Row on its way, which all others wait for.
    std::uint32_t sending = kNoRow;
    /// Operation whose receives have joined.
    std::uint32_t posted_next = UINT32_MAX;
    std::uint32_t posted_batch = UINT32_MAX;
    std::int64_t wake_at = -1;
    /// Calls to make, the first of them under way.
    std::vector<Call> calls;
    CallState state = CallState::Idle;
    std::int64_t until = 0;
  };
  /// A transfer on its way.
  struct Flow {
    /// While it shares a link: through when the link's virtual time reaches this.
    double tag = 0;
    /// Time its bytes take with the whole bandwidth.
    std::int64_t wire_ps = 0;
    std::int64_t latency_ps = 0;
    std::uint32_t row = kNoRow;
    /// Slot that it fills.
    std::uint32_t slot = 0;
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
    /// Fair shares: sorted by tag, the first through next. One after another, with failures: in
    /// their order, the first on the link.
    std::vector<Flow> flows;
    /// Asked for while the link was down.
    std::vector<Flow> waiting;
    /// Ends of transfers whose rate was fixed at their start.
    std::vector<std::int64_t> ends;
    std::int64_t down_until = -1;
    std::uint32_t down_row = kNoRow;
  };
  /// Where a play began, this time.
  struct PlayMark {
    std::uint32_t row = 0;
    std::int64_t at = 0;
  };

  // Rows (engine.cpp).
  std::uint32_t add_row(std::int64_t end, OpKind kind, std::uint32_t resource, std::uint16_t stage,
                        std::uint32_t index, std::uint32_t predecessor);
  void grow_rows();
  void lay_out_stages();
  void lay_out_hop(StageSide& side, const Hop& hop, std::uint32_t to_stage) const;
  void touch(std::uint32_t device);

  /// Forward or backward side of a stage.
  [[nodiscard]] const StageSide& side(OpKind kind, std::uint32_t stage) const {
    const bool forward = kind == OpKind::Forward || kind == OpKind::Overlapped;
    return sides_[std::size_t{2} * stage + (forward ? 0U : 1U)];
  }
  [[nodiscard]] const Hop& hop_of(OpKind kind, std::uint32_t stage) const {
    const bool forward = kind == OpKind::Forward || kind == OpKind::Overlapped;
    return forward ? program_.forward_hop[stage] : program_.backward_hop[stage];
  }
  /// Microbatch and slice as one number.
  [[nodiscard]] std::uint32_t unit(const Operation& op) const {
    return op.microbatch * slices_ + op.slice;
  }
  /// Of a unit, from the slot of its stage's unit 0. Stages work on neighbouring units, so a line
  /// of one stage lies beside the same line of the next, not beside its own next one.
  [[nodiscard]] std::uint32_t spot(std::uint32_t unit) const {
    return unit / kSlotsOfLine * spots_of_line_ + unit % kSlotsOfLine;
  }
  [[nodiscard]] std::uint32_t& input(std::uint32_t stage, std::uint32_t unit) {
    return slots_[sides_[std::size_t{2} * stage].own + spot(unit)];
  }
  [[nodiscard]] std::uint32_t& gradient(std::uint32_t stage, std::uint32_t unit) {
    return slots_[sides_[std::size_t{2} * stage + 1].own + spot(unit)];
  }
  [[nodiscard]] bool arrived(std::uint32_t row) const {
    return row != kNoRow && trace_.end[row] <= now_;
  }

  // Compute (engine.cpp).
  void ask(std::uint32_t device);
  bool start_static(std::uint32_t device, std::uint32_t rank);
  bool start_policy(std::uint32_t device, std::uint32_t rank);
  void start(std::uint32_t device, std::uint32_t rank, const Operation& op, const Operation& other,
             std::uint32_t input_row);
  [[nodiscard]] std::int64_t duration_of(const Operation& op, std::uint32_t batch);
  [[nodiscard]] std::int64_t cell_duration(const Operation& op, const Operation& other,
                                           std::uint32_t batch);
  std::int64_t turn_to(Rank& rank, const Operation& op) const;
  [[nodiscard]] const std::uint32_t* awaited(const Operation& op) const;
  void compute_end(const Event& e);
  void deliver(std::uint32_t rank, const Operation& op, std::uint32_t row);
  void pass_on(std::uint32_t rank, const Operation& op, std::uint32_t row);
  void wake(std::uint32_t device, std::int64_t time);
  void wake_for(std::uint32_t device, std::uint32_t row);
  std::int64_t noisy_duration(const Operation& op, std::uint32_t batch);

  // Transfers (transfers.cpp).
  std::uint32_t send(const StageSide& from, const Operation& op, std::uint32_t batch,
                     std::uint32_t from_row);
  void announce(std::uint32_t rank, std::uint32_t device, std::uint32_t slot, std::uint32_t row);
  bool vary(const Hop& hop, OpKind kind, std::uint16_t stage, std::uint32_t index,
            std::int64_t& wire, std::int64_t& latency);
  void transfer(std::uint32_t link, const Flow& flow);
  void begin_on_link(std::uint32_t link, const Flow& flow);
  void share_link(LinkState& link, std::uint32_t index, const Flow& flow);
  void schedule_head(LinkState& link, std::uint32_t index);
  void link_head(const Event& e);
  void finish_flow(const Flow& flow, std::int64_t wire_end);
  /// When the bytes of a flow whose end is known have left the link.
  [[nodiscard]] std::int64_t through(const Flow& flow) const {
    return trace_.end[flow.row] - flow.latency_ps;
  }

  // Communication that holds something up (streams.cpp).
  [[nodiscard]] bool holds_rank() const {
    return program_.simulation.communication != Communication::InOrder;
  }
  void post_send(std::uint32_t rank, const Operation& op, std::uint32_t batch,
                 std::uint32_t from_row);
  void post_receives(std::uint32_t rank);
  void advance(std::uint32_t rank);
  void stream_wakes(std::uint32_t rank, std::int64_t time);
  void stream_head(const Event& e);
  bool stream_allows(std::uint32_t rank);
  [[nodiscard]] std::uint32_t source_stage(const Operation& op) const;
  [[nodiscard]] bool comes_over_a_link(const Operation& op) const;
  [[nodiscard]] bool receiver_waits(const Pending& pending) const;
  void make_calls(std::uint32_t rank);
  [[nodiscard]] bool pairs_calls() const;
  [[nodiscard]] bool pair_begins(const Rank& r) const;
  [[nodiscard]] bool inside_pair(std::uint32_t rank) const;
  void advance_calls(std::uint32_t rank);
  bool call_goes_on(std::uint32_t rank, Stream& s);
  [[nodiscard]] std::uint32_t peer_of(const Pending& pending) const;
  [[nodiscard]] std::string waiting_text(std::uint32_t rank, std::uint32_t& holder) const;
  [[nodiscard]] std::string communication_cycle() const;

  // Batches and the optimizer phase (batches.cpp).
  void begin_batch();
  void operations_done(std::uint64_t count);
  void batch_done();
  void begin_collective_round();
  void rank_is_through(std::uint32_t rank);
  void begin_tied();
  [[nodiscard]] bool tied_due() const;
  void join_sum(std::uint32_t rank);
  void begin_sum(std::uint32_t sum, std::uint32_t rank);
  void sum_end(std::uint32_t sum, std::uint32_t row);
  void collective_end(const Event& e);
  void begin_updates();
  void begin_update(std::uint32_t slot);
  void update_end(const Event& e);
  void next_batch();
  void begin_next_batch();
  void rank_finished_batch(std::uint32_t rank);
  void begin_rank_batch(std::uint32_t rank);
  [[nodiscard]] bool update_due(std::uint32_t batch) const;

  // Updates between operations (updates.cpp).
  void begin_updates_anew();
  bool update_comes_first(std::uint32_t device, std::uint32_t rank, bool& started);
  [[nodiscard]] bool summed(std::uint32_t rank, const OrderUpdate& update) const;
  [[nodiscard]] std::optional<Duration> update_time(std::uint32_t device,
                                                    const OrderUpdate& update);
  void own_update_end(const Event& e);
  void gradient_made(std::uint32_t rank, std::uint32_t stage);
  void join_own_sum(std::uint32_t rank);
  void own_sum_end(std::uint32_t sum, std::uint32_t row);

  // Outages (outages.cpp).
  void failure_check(const Event& e);
  void outage(const Event& e);
  void await_next_outage(std::uint32_t component, std::uint32_t number, std::int64_t repaired);
  void fail_device(std::uint32_t device, std::int64_t length);
  void fail_link(std::uint32_t link, std::int64_t length);
  void device_recovery(const Event& e);
  void link_recovery(const Event& e);
  void lose_row(std::uint32_t row, bool counts = true);
  void begin_outage(std::uint32_t resource, EventKind recovery, std::uint32_t index,
                    std::int64_t length, std::int64_t& down_until, std::uint32_t& down_row);
  [[nodiscard]] bool computes(std::uint32_t device) const {
    return devices_[device].first_rank != devices_[device].end_rank;
  }

  // Steps begun anew (checkpoints.cpp).
  [[nodiscard]] bool rolls_back() const { return program_.failure.recovery != Recovery::Operation; }
  std::int64_t take_spares(std::uint32_t devices, std::int64_t repair);
  void roll_back(std::int64_t repaired, std::uint32_t outage_row);
  void lose_rows_from(std::uint32_t first);
  void forget_work(std::uint32_t outage_row);
  void resume(const Event& e);
  [[nodiscard]] std::uint32_t play_to_go_back_to() const;
  [[nodiscard]] bool checkpoint_due() const;
  void begin_checkpoint();
  void checkpoint_end();

  void apply(const Event& e);
  void report_stuck();
  void stop_at_time_limit();
  void stop_without_end();

  const Program& program_;
  std::optional<PolicyState> policy_;
  Trace trace_;
  EventQueue queue_;
  /// The row that brings a stage its input (or gradient) for a microbatch and slice, or kNoRow: set
  /// when it is sent, ready once the row has ended, emptied when it is used. StageSide::own says
  /// where those of a stage begin.
  std::vector<std::uint32_t> slots_;
  std::uint32_t spots_of_line_ = 0;
  /// Of a static order.
  const Operation* operations_ = nullptr;
  /// Entry 2 * stage, and one more for its backwards.
  std::vector<StageSide> sides_;
  std::vector<Rank> ranks_;
  std::vector<DeviceState> devices_;
  std::vector<LinkState> links_;
  /// By rank; empty when communication is asynchronous.
  std::vector<Stream> streams_;
  /// Devices to ask at the end of this instant, ascending.
  std::vector<std::uint32_t> touched_;

  std::int64_t now_ = 0;
  std::uint32_t rows_ = 0;
  std::size_t capacity_ = 0;
  std::size_t most_rows_ = 0;
  /// Microbatches of one play, and how often it is played.
  std::uint32_t microbatches_ = 1;
  std::uint32_t slices_ = 1;
  std::uint32_t plays_ = 1;
  std::uint32_t batch_ = 0;
  std::uint64_t operations_left_ = 0;
  std::uint64_t forwards_left_ = 0;
  std::uint32_t collective_pending_ = 0;
  std::uint32_t collective_round_ = 0;
  std::uint32_t updates_pending_ = 0;
  std::uint32_t ranks_left_ = 0;
  std::uint32_t phase_row_ = kNoRow;
  /// The reduction of a tied embedding: ranks that still work on this step, and its row.
  std::uint32_t tied_left_ = 2;
  std::uint32_t tied_row_ = kNoRow;
  bool tied_done_ = false;
  /// Sums of several pipelines: those of each rank, how many of them it is through with, how many
  /// ranks have come to each sum, and sums that are left of this step.
  std::vector<std::vector<std::uint32_t>> sums_of_rank_;
  std::vector<std::uint32_t> rank_sums_done_;
  std::vector<std::uint32_t> sum_arrived_;
  std::uint32_t sums_left_ = 0;
  /// By rank, and gradients made so far by stage; empty where all update after a batch.
  std::vector<RankUpdates> rank_updates_;
  std::vector<std::uint32_t> gradients_made_;
  /// Events in the queue that are not failure checks: none left means nothing can happen any more.
  std::uint64_t live_events_ = 0;
  bool track_outcome_ = false;
  /// Transfers neither share nor fail: each takes the same time.
  bool plain_links_ = false;
  bool finished_ = false;
  bool over_ = false;

  /// By play; empty without failures.
  std::vector<PlayMark> marks_;
  /// The play that the last checkpoint stands before, and when it was written.
  std::uint32_t saved_play_ = 0;
  std::int64_t saved_at_ = 0;
  std::uint32_t spares_ = 0;
  /// While all wait for it; -1 when work goes on.
  std::int64_t resume_at_ = -1;
  std::uint32_t resume_generation_ = 0;
  std::int64_t stopped_at_ = 0;
  FailureLog failures_;
  Diagnostics problems_;
};

}  // namespace sluice
