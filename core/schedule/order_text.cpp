#include "schedule/order_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace {

/// Larger than any microbatch or stage that is simulated.
constexpr std::uint32_t kTooLarge = 100'000'000;

/// An operation as written: its stage counts within its pipe.
struct Written {
  OpKind kind = OpKind::Forward;
  std::uint32_t microbatch = 0;
  std::uint32_t slice = 0;
  bool sliced = false;
  std::uint32_t stage = 0;
  /// The next one runs at the same time.
  bool overlaps = false;
};

std::optional<OpKind> kind_of(char letter) {
  switch (letter) {
    case 'F':
      return OpKind::Forward;
    case 'B':
      return OpKind::Backward;
    case 'I':
      return OpKind::InputGrad;
    case 'W':
      return OpKind::WeightGrad;
    default:
      return std::nullopt;
  }
}

// Takes a whole number off the front of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  std::size_t n = 0;
  while (n < text.size() && std::isdigit(static_cast<unsigned char>(text[n])) != 0) {
    if (value < kTooLarge) value = value * 10 + static_cast<std::uint32_t>(text[n] - '0');
    ++n;
  }
  if (n == 0) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

// "F3.1@5"
std::optional<Written> read_operation(std::string_view text) {
  Written out;
  if (text.empty()) return std::nullopt;
  const std::optional<OpKind> kind = kind_of(text.front());
  text.remove_prefix(1);
  const auto microbatch = take_number(text);
  if (!kind || !microbatch) return std::nullopt;
  out.kind = *kind;
  out.microbatch = *microbatch;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const auto slice = take_number(text);
    if (!slice) return std::nullopt;
    out.slice = *slice;
    out.sliced = true;
  }
  if (!text.starts_with('@')) return std::nullopt;
  text.remove_prefix(1);
  const auto stage = take_number(text);
  if (!stage || !text.empty()) return std::nullopt;
  out.stage = *stage;
  return out;
}

class Parser {
 public:
  Parser(const OrderText& text, int ranks, int microbatches, std::string path)
      : text_(text), path_(std::move(path)) {
    order_.placement.ranks = ranks;
    order_.microbatches = microbatches;
  }

  Result<Order> run() {
    read_lists();
    if (problems_.empty()) read_placement();
    if (!problems_.empty()) return problems_;
    find_slices();
    find_pipes();
    assemble();
    for (Diagnostic& d : check_order(order_)) {
      d.path = path_ + ".order";
      problems_.push_back(std::move(d));
    }
    if (!problems_.empty()) return problems_;
    return std::move(order_);
  }

 private:
  void problem(Code code, const std::string& key, std::string message, std::string hint = "") {
    problems_.push_back(error(code, path_ + key, std::move(message), std::move(hint)));
  }

  void read_lists() {
    const auto ranks = static_cast<std::size_t>(order_.placement.ranks);
    if (text_.order.size() != ranks) {
      problem(Code::OrderSyntax, ".order",
              "the order has " + std::to_string(text_.order.size()) + " lists for " +
                  std::to_string(ranks) + " ranks",
              "one text for each rank, in the order of pipeline.stages");
      return;
    }
    for (std::size_t r = 0; r < ranks; ++r) lists_.push_back(read_list(r));
  }

  std::vector<Written> read_list(std::size_t rank) {
    std::vector<Written> out;
    std::string_view rest = text_.order[rank];
    while (true) {
      while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.front())) != 0)
        rest.remove_prefix(1);
      if (rest.empty()) return out;
      std::size_t n = 0;
      while (n < rest.size() && std::isspace(static_cast<unsigned char>(rest[n])) == 0) ++n;
      if (!read_cell(rest.substr(0, n), out)) {
        problem(
            Code::OrderSyntax, ".order[" + std::to_string(rank) + "]",
            "`" + std::string(rest.substr(0, std::min<std::size_t>(n, 40))) + "` is no operation",
            "F3@5 is the forward of microbatch 3 on stage 5; B, I, W alike; (F7@0|B3@7) is "
            "one overlapped cell");
        return out;
      }
      rest.remove_prefix(n);
    }
  }

  static bool read_cell(std::string_view token, std::vector<Written>& out) {
    if (!token.starts_with('(')) {
      const std::optional<Written> op = read_operation(token);
      if (op) out.push_back(*op);
      return op.has_value();
    }
    const std::size_t bar = token.find('|');
    if (bar == std::string_view::npos || !token.ends_with(')')) return false;
    std::optional<Written> first = read_operation(token.substr(1, bar - 1));
    const std::optional<Written> second =
        read_operation(token.substr(bar + 1, token.size() - bar - 2));
    if (!first || !second || first->kind != OpKind::Forward) return false;
    first->overlaps = true;
    out.push_back(*first);
    out.push_back(*second);
    return true;
  }

  void read_placement() {
    Placement& placement = order_.placement;
    if (text_.placement.empty()) {
      std::uint32_t stages = static_cast<std::uint32_t>(placement.ranks);
      for (const auto& list : lists_) {
        for (const Written& op : list) stages = std::max(stages, op.stage + 1);
      }
      if (stages > kMaxStages) {
        problem(Code::LimitStages, ".order",
                "stage " + std::to_string(stages - 1) + "; at most " + std::to_string(kMaxStages) +
                    " stages are simulated");
        return;
      }
      for (std::uint32_t s = 0; s < stages; ++s) {
        placement.rank_of_stage.push_back(
            static_cast<std::uint16_t>(s % static_cast<std::uint32_t>(placement.ranks)));
      }
      return;
    }
    const std::size_t stages = text_.placement.front().second.size();
    placement.pipes = static_cast<int>(text_.placement.size());
    for (const auto& [pipe, ranks] : text_.placement) {
      const std::string key = ".placement." + pipe;
      if (ranks.size() != stages || stages == 0) {
        problem(Code::OrderSyntax, key,
                "all pipes must name a rank for each of their stages, and have equally many");
        return;
      }
      for (const std::int64_t rank : ranks) {
        if (rank < 0 || rank >= placement.ranks) {
          problem(Code::OrderSyntax, key,
                  "rank " + std::to_string(rank) + " does not exist; there are " +
                      std::to_string(placement.ranks));
          return;
        }
        placement.rank_of_stage.push_back(static_cast<std::uint16_t>(rank));
      }
    }
    if (placement.total_stages() > kMaxStages) {
      problem(Code::LimitStages, ".placement",
              "at most " + std::to_string(kMaxStages) + " stages are simulated");
    }
  }

  void find_slices() {
    std::uint32_t most = 0;
    for (const auto& list : lists_) {
      for (const Written& op : list) most = std::max(most, op.slice);
    }
    if (most >= static_cast<std::uint32_t>(kMaxSlices)) {
      problem(Code::OrderSyntax, ".order",
              "at most " + std::to_string(kMaxSlices) + " slices of a microbatch");
      return;
    }
    order_.slices = static_cast<int>(most) + 1;
  }

  // With several pipes: the one whose ranks all operations of the microbatch stand on.
  void find_pipes() {
    const Placement& placement = order_.placement;
    if (placement.pipes == 1) return;
    const auto per_pipe = static_cast<std::uint32_t>(placement.stages());
    const auto pipes = static_cast<std::size_t>(placement.pipes);
    const auto all = static_cast<std::size_t>(order_.microbatches);
    std::vector<bool> possible(all * pipes, true);
    for (std::size_t r = 0; r < lists_.size(); ++r) {
      for (const Written& op : lists_[r]) {
        if (op.stage >= per_pipe || op.microbatch >= all) continue;
        for (std::size_t pipe = 0; pipe < pipes; ++pipe) {
          if (placement.rank_of_stage[pipe * per_pipe + op.stage] != r)
            possible[op.microbatch * pipes + pipe] = false;
        }
      }
    }
    for (std::size_t m = 0; m < all; ++m) {
      std::size_t pipe = 0;
      while (pipe < pipes && !possible[m * pipes + pipe]) ++pipe;
      // Where none fits, the check says which operation stands on the wrong rank.
      order_.pipe_of_microbatch.push_back(static_cast<std::uint8_t>(pipe < pipes ? pipe : 0));
    }
  }

  void assemble() {
    const auto per_pipe = static_cast<std::uint32_t>(order_.placement.stages());
    OrderBuilder builder(order_.placement, order_.microbatches, lists_.front().size(),
                         order_.slices);
    for (std::size_t r = 0; r < lists_.size(); ++r) {
      for (const Written& op : lists_[r]) {
        if (op.stage >= per_pipe ||
            op.microbatch >= static_cast<std::uint32_t>(order_.microbatches)) {
          constexpr std::size_t kEnough = 10;
          if (problems_.size() >= kEnough) break;
          problem(Code::OrderUnknown, ".order[" + std::to_string(r) + "]",
                  "unknown operation " + std::string(kind_text(op.kind)) +
                      std::to_string(op.microbatch) + "@" + std::to_string(op.stage) + " on rank " +
                      std::to_string(r),
                  "there are " + std::to_string(order_.microbatches) + " microbatches and " +
                      std::to_string(per_pipe) + " stages, both counted from 0");
          continue;
        }
        const int pipe = order_.pipe_of(op.microbatch);
        const auto stage = static_cast<int>(op.stage) + pipe * static_cast<int>(per_pipe);
        builder.add(op.overlaps ? OpKind::Overlapped : op.kind, stage,
                    static_cast<int>(op.microbatch), static_cast<int>(op.slice));
      }
      builder.end_rank();
    }
    builder.set_pipes(std::move(order_.pipe_of_microbatch));
    order_ = builder.take();
  }

  const OrderText& text_;
  std::string path_;
  Order order_;
  std::vector<std::vector<Written>> lists_;
  Diagnostics problems_;
};

}  // namespace

Result<Order> parse_order(const OrderText& text, int ranks, int microbatches,
                          const std::string& path) {
  return Parser(text, ranks, microbatches, path).run();
}

}  // namespace sluice
