#include "io/order_formats.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "schedule/order_text.hpp"

namespace sluice {
namespace {

constexpr std::string_view kOverlap = "OVERLAP_F_B";

std::string pytorch_cell(const Operation& op) {
  const OpKind kind = op.kind == OpKind::Overlapped ? OpKind::Forward : op.kind;
  return std::to_string(op.stage) + std::string(kind_text(kind)) + std::to_string(op.microbatch);
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// "12" off the front.
std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && std::isdigit(static_cast<unsigned char>(text[n])) != 0) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

// "0F3" as "F3@0"; "" for what only moves data (0SEND_F1, 1UNSHARD); nothing when it is neither.
std::optional<std::string> catalogue_text(std::string_view cell) {
  const std::string_view stage = take_digits(cell);
  std::size_t n = 0;
  while (n < cell.size() &&
         (std::isupper(static_cast<unsigned char>(cell[n])) != 0 || cell[n] == '_'))
    ++n;
  const std::string_view kind = cell.substr(0, n);
  std::string_view rest = cell.substr(n);
  const std::string_view microbatch = take_digits(rest);
  if (stage.empty() || kind.empty() || !rest.empty()) return std::nullopt;
  static constexpr std::string_view kMoves[] = {"SEND_F",  "RECV_F",  "SEND_B",     "RECV_B",
                                                "UNSHARD", "RESHARD", "REDUCE_GRAD"};
  if (std::find(std::begin(kMoves), std::end(kMoves), kind) != std::end(kMoves)) return "";
  const bool computes = kind == "F" || kind == "B" || kind == "I" || kind == "W";
  if (!computes || microbatch.empty()) return std::nullopt;
  return std::string(kind) + std::string(microbatch) + "@" + std::string(stage);
}

std::optional<std::string> catalogue_cell(std::string_view cell) {
  if (!cell.starts_with('(')) return catalogue_text(cell);
  const std::size_t bar = cell.find(';');
  const std::size_t close = cell.find(')');
  if (bar == std::string_view::npos || close == std::string_view::npos || close < bar ||
      cell.substr(close + 1) != kOverlap)
    return std::nullopt;
  const auto first = catalogue_text(cell.substr(1, bar - 1));
  const auto second = catalogue_text(cell.substr(bar + 1, close - bar - 1));
  if (!first || !second || first->empty() || second->empty()) return std::nullopt;
  return "(" + *first + "|" + *second + ")";
}

class Importer {
 public:
  explicit Importer(std::string_view text) : text_(text) {}

  Result<ImportedOrder> run() {
    // The catalogue's operations name their stage with an "@"; PyTorch's cells never have one.
    catalogue_ = text_.find('@') != std::string_view::npos;
    read_lines();
    if (problems_.empty()) find_placement();
    if (!problems_.empty()) return problems_;
    out_.microbatches = static_cast<int>(microbatches_.size());
    const auto ranks = static_cast<int>(out_.text.order.size());
    Result<Order> order = parse_order(out_.text, ranks, out_.microbatches, "");
    if (!order) return placed(order.diagnostics());
    out_.order = std::move(order).value();
    return std::move(out_);
  }

 private:
  // The line of the rank that a problem names.
  [[nodiscard]] Diagnostics placed(Diagnostics problems) const {
    for (Diagnostic& d : problems) {
      for (std::size_t r = 0; r < lines_.size(); ++r) {
        if (d.path == ".order[" + std::to_string(r) + "]") d.line = lines_[r];
      }
      d.path.clear();
    }
    return problems;
  }

  void problem(Code code, int line, int column, std::string message, std::string hint = "") {
    Diagnostic d = error(code, "", std::move(message), std::move(hint));
    d.line = line;
    d.column = column;
    problems_.push_back(std::move(d));
  }

  void read_lines() {
    std::string_view rest = text_;
    for (int line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view whole = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (trimmed(whole).empty() || trimmed(whole).starts_with('#')) continue;
      read_rank(whole, line);
      if (!problems_.empty()) return;
    }
    if (out_.text.order.empty()) {
      problem(Code::OrderSyntax, 1, 1, "no rank has any operation",
              "one line a rank: `0F0,0B0` (PyTorch) or `F0@0 B0@0`");
    }
  }

  void read_rank(std::string_view line, int number) {
    std::string list;
    const char separator = catalogue_ ? ' ' : ',';
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      const std::string_view cell = trimmed(line.substr(at, end - at));
      const std::optional<std::string> op =
          cell.empty() ? std::string() : (catalogue_ ? std::string(cell) : catalogue_cell(cell));
      if (!op) {
        problem(Code::OrderSyntax, number, static_cast<int>(at) + 1,
                "`" + std::string(cell.substr(0, 40)) + "` is no operation of PyTorch's CSV",
                "0F3 is stage 0, forward, microbatch 3; (0F7;7B3)OVERLAP_F_B is one cell");
        return;
      }
      if (!op->empty()) {
        note(*op, number, static_cast<int>(at) + 1);
        list += (list.empty() ? "" : " ") + *op;
      }
      at = end + 1;
    }
    out_.text.order.push_back(std::move(list));
    lines_.push_back(number);
  }

  // Which stages and microbatches an operation (or both of a cell) names.
  void note(std::string_view op, int line, int column) {
    const auto rank = static_cast<std::int64_t>(out_.text.order.size());
    for (std::size_t at = 0; at < op.size();) {
      const std::size_t end = std::min(op.find('|', at), op.size());
      std::string_view one = op.substr(at, end - at);
      at = end + 1;
      while (!one.empty() && std::isdigit(static_cast<unsigned char>(one.front())) == 0)
        one.remove_prefix(1);
      const std::string microbatch(take_digits(one));
      const std::size_t mark = one.find('@');
      if (mark == std::string_view::npos) continue;
      one.remove_prefix(mark + 1);
      const std::string stage(take_digits(one));
      if (stage.empty()) continue;
      if (stage == "0") microbatches_.insert(microbatch);
      const auto [known, fresh] = rank_of_.emplace(stage, rank);
      if (fresh || known->second == rank) continue;
      problem(Code::OrderWrongRank, line, column,
              "stage " + stage + " stands on rank " + std::to_string(rank) + " and on rank " +
                  std::to_string(known->second));
      return;
    }
  }

  void find_placement() {
    std::vector<std::int64_t> ranks(rank_of_.size(), -1);
    for (const auto& [stage, rank] : rank_of_) {
      constexpr std::size_t kDigits = 5;
      const std::size_t index = stage.size() > kDigits ? ranks.size() : std::stoul(stage);
      if (index >= ranks.size()) {
        problem(Code::OrderUnknown, 1, 1,
                "stage " + stage.substr(0, kDigits) + " has operations, but there are only " +
                    std::to_string(ranks.size()) + " stages in all",
                "stages count from 0 without gaps");
        return;
      }
      ranks[index] = rank;
    }
    out_.text.placement.emplace_back(pipe_name(0), std::move(ranks));
  }

  std::string_view text_;
  bool catalogue_ = false;
  std::map<std::string, std::int64_t> rank_of_;
  /// Of stage 0, which has them all.
  std::set<std::string> microbatches_;
  /// Of each rank.
  std::vector<int> lines_;
  ImportedOrder out_;
  Diagnostics problems_;
};

}  // namespace

Result<std::string> pytorch_csv(const Order& order) {
  if (order.placement.pipes > 1 || order.slices > 1) {
    return error(Code::OrderFormat, "",
                 std::string("PyTorch's CSV cannot carry ") +
                     (order.slices > 1 ? "slices of a microbatch" : "several pipes"));
  }
  std::string out;
  for (int r = 0; r < order.ranks(); ++r) {
    bool in_cell = false;
    bool first = true;
    for (const Operation& op : order.of_rank(r)) {
      if (!first) out += in_cell ? ';' : ',';
      first = false;
      if (op.kind == OpKind::Overlapped) out += '(';
      out += pytorch_cell(op);
      if (in_cell) out += ")" + std::string(kOverlap);
      in_cell = op.kind == OpKind::Overlapped;
    }
    out += '\n';
  }
  return out;
}

Result<ImportedOrder> import_order(std::string_view text) {
  return Importer(text).run();
}

std::string order_yaml(const ImportedOrder& imported) {
  std::string out = "schedule:\n  order:\n";
  for (const std::string& list : imported.text.order) out += "    - \"" + list + "\"\n";
  out += "  placement:\n";
  for (const auto& [pipe, ranks] : imported.text.placement) {
    out += "    " + pipe + ": [";
    for (std::size_t i = 0; i < ranks.size(); ++i)
      out += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    out += "]\n";
  }
  return out;
}

}  // namespace sluice
