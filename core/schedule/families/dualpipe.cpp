// DualPipe: microbatches enter at both ends, and a forward of one direction overlaps a backward of
// the other. DualPipeV is the same program cut in half and folded: a V instead of two directions.
#include <algorithm>
#include <deque>

#include "schedule/families/families.hpp"
#include "schedule/families/shared.hpp"

namespace sluice {
namespace {

/// One rank's program. Phase 0 is the direction (or leg) that begins at the rank's own end.
class Program {
 public:
  struct Phase {
    int stage;
    /// First microbatch it carries.
    int first;
  };

  Program(OrderBuilder& order, Phase own, Phase other) : order_(order), phases_{own, other} {}

  // `half` ranks from the end to the middle, of which this is number `q`; `steady` overlapped
  // pairs.
  void run(int half, int q, int steady) {
    const int outer = half - q - 1;
    for (int i = 0; i < 2 * outer; ++i) forward(0);
    for (int i = 0; i < q + 1; ++i) {
      forward(0);
      forward(1);
    }
    for (int i = 0; i < outer; ++i) {
      input(1);
      weight();
      forward(1);
    }
    for (int i = 0; i < steady; ++i) {
      if (i == 0 && outer == 0) {
        // The middle rank has just made this forward's input itself.
        forward(0);
        backward(1);
      } else {
        overlapped(0, 1);
      }
      overlapped(1, 0);
    }
    for (int i = 0; i < outer; ++i) {
      backward(1);
      overlapped(1, 0);
    }
    drain(q);
    for (int i = 0; i < outer; ++i) {
      weight();
      input(0);
    }
    for (int i = 0; i < q + 1; ++i) weight();
  }

 private:
  // Backwards in turn; half way they are split and their weight gradients queue up.
  void drain(int q) {
    const int middle = (q + 1) / 2;
    const bool odd = q % 2 == 1;
    bool split = false;
    const auto either = [&](int phase) { split ? input(phase) : backward(phase); };
    for (int i = 0; i < q + 1; ++i) {
      if (i == middle && odd) split = true;
      either(1);
      if (i == middle && !odd) split = true;
      either(0);
    }
  }

  void forward(int phase) {
    order_.add(OpKind::Forward, phases_[phase].stage, next(forwards_, phase));
  }
  void backward(int phase) {
    order_.add(OpKind::Backward, phases_[phase].stage, next(backwards_, phase));
  }
  void input(int phase) {
    const int microbatch = next(backwards_, phase);
    order_.add(OpKind::InputGrad, phases_[phase].stage, microbatch);
    queue_.push_back({phases_[phase].stage, microbatch});
  }
  void weight() {
    order_.add(OpKind::WeightGrad, queue_.front().stage, queue_.front().first);
    queue_.pop_front();
  }
  void overlapped(int forward_phase, int backward_phase) {
    const int f = next(forwards_, forward_phase);
    const int b = next(backwards_, backward_phase);
    order_.add_overlapped(phases_[forward_phase].stage, f, phases_[backward_phase].stage, b);
  }
  int next(int (&counts)[2], int phase) { return phases_[phase].first + counts[phase]++; }

  OrderBuilder& order_;
  Phase phases_[2];
  int forwards_[2] = {0, 0};
  int backwards_[2] = {0, 0};
  /// (stage, microbatch) of weight gradients put off.
  std::deque<Phase> queue_;
};

Result<Order> dualpipe_order(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  const int half = request.microbatches / 2;
  OrderBuilder order(placement, request.microbatches,
                     3 * static_cast<std::size_t>(request.microbatches));
  std::vector<std::uint8_t> pipes(static_cast<std::size_t>(request.microbatches), 0);
  std::fill(pipes.begin() + half, pipes.end(), std::uint8_t{1});
  order.set_pipes(std::move(pipes));
  for (int r = 0; r < p; ++r) {
    const int q = std::min(r, p - 1 - r);
    const Program::Phase down{r, 0};
    const Program::Phase up{p + (p - 1 - r), half};
    const bool lower = r < p / 2;
    Program program(order, lower ? down : up, lower ? up : down);
    program.run(p / 2, q, half - p + q + 1);
    order.end_rank();
  }
  return order.take();
}

Result<Order> dualpipe_v_order(const ScheduleRequest& request, const Placement& placement) {
  const int p = request.ranks;
  OrderBuilder order(placement, request.microbatches,
                     6 * static_cast<std::size_t>(request.microbatches));
  for (int r = 0; r < p; ++r) {
    Program program(order, {r, 0}, {2 * p - 1 - r, 0});
    program.run(p, r, request.microbatches - 2 * p + r + 1);
    order.end_rank();
  }
  return order.take();
}

bool even_microbatches(const ScheduleRequest& request) {
  return request.microbatches % 2 == 0;
}
bool enough_microbatches(const ScheduleRequest& request) {
  return request.microbatches >= 2 * request.ranks;
}
constexpr Constraint kEnough{"enough_microbatches", "microbatches must be at least 2 x ranks",
                             enough_microbatches};

}  // namespace

ScheduleInfo dualpipe() {
  ScheduleInfo info;
  info.name = "dualpipe";
  info.family = "bidirectional";
  info.doc = "Both directions at once, forward and backward overlapped; two copies of the weights";
  info.constraints = {kEvenRanks,
                      {"even_microbatches", "microbatches must be even", even_microbatches},
                      kEnough,
                      kOneStageADirection};
  info.weight_copies = 2;
  info.split_backward = true;
  info.source = "DeepSeek-AI 2024, arXiv 2412.19437; deepseek-ai/DualPipe";
  info.placement = both_ways;
  info.order = dualpipe_order;
  return info;
}

ScheduleInfo dualpipe_v() {
  ScheduleInfo info;
  info.name = "dualpipe_v";
  info.family = "zero bubble, V";
  info.doc = "DualPipe folded to a V: overlapped cells with one copy of the weights";
  info.constraints = {kEnough, kTwoChunks};
  info.split_backward = true;
  info.source = "deepseek-ai/DualPipe; PyTorch, ScheduleDualPipeV";
  info.placement = v_shape;
  info.order = dualpipe_v_order;
  return info;
}

}  // namespace sluice
