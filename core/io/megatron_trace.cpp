#include "io/megatron_trace.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "io/excerpt.hpp"
#include "io/json_fields.hpp"

namespace sluice {
namespace {

struct Phase {
  const char* name;
  OpKind compute;
  /// OpKind::Failure: there is no such transfer.
  OpKind transfer;
};

constexpr std::array<Phase, 5> kPhases{{
    {"FORWARD", OpKind::Forward, OpKind::Activation},
    {"BACKWARD", OpKind::Backward, OpKind::Gradient},
    {"BACKWARD_B", OpKind::InputGrad, OpKind::Gradient},
    {"BACKWARD_W", OpKind::WeightGrad, OpKind::Failure},
    {"OPTIMIZER", OpKind::Update, OpKind::Failure},
}};

class Reader {
 public:
  Result<RankTrace> read(std::string_view text) {
    each_json_line(text, false, problems_,
                   [&](const Json& object, int line) { read_row(object, line); });
    if (problems_.empty() && out_.events.empty())
      problems_.add(Code::TraceEmpty, 1, "no event in this file");
    if (!problems_.empty()) return problems_.all();
    return std::move(out_);
  }

 private:
  void read_row(const Json& object, int line) {
    JsonFields f(object, line, problems_);
    const auto rank = index(f, "rank");
    const auto stage = index(f, "stage");
    const auto iteration = index(f, "iteration");
    const auto kind = read_kind(f);
    const auto start = f.whole("start_wall_ns", kMostNs);
    const auto end = f.whole("end_wall_ns", kMostNs);
    const auto device = f.text("device_id");
    const auto microbatch = f.has("microbatch") ? index(f, "microbatch") : std::int32_t{-1};
    if (f.has("hostname")) {
      if (const auto host = f.text("hostname")) out_.host = *host;
    }
    if (start && end && *end < *start) {
      f.wrong("it ends at " + std::to_string(*end) + " ns, before it starts at " +
              std::to_string(*start));
      return;
    }
    if (rank && read_any_ && *rank != out_.rank) {
      problems_.add(
          Code::TraceRanks, line,
          "rank " + std::to_string(*rank) + " in a file of rank " + std::to_string(out_.rank));
      return;
    }
    if (!rank || !stage || !iteration || !kind || !start || !end || !device || !microbatch) return;
    read_any_ = true;
    out_.rank = *rank;
    out_.device = *device;
    out_.events.push_back({*kind, *rank, *stage, *iteration, *microbatch, *start, *end});
  }

  static std::optional<std::int32_t> index(JsonFields& f, const char* key) {
    // One more must fit as well.
    const auto value = f.whole(key, std::numeric_limits<std::int32_t>::max() - 1);
    if (!value) return std::nullopt;
    return static_cast<std::int32_t>(*value);
  }

  static std::optional<OpKind> read_kind(JsonFields& f) {
    const auto type = f.text("event_type");
    const auto name = f.text("phase");
    const bool transfer = type && *type == "transfer";
    if (transfer) {
      const auto from = f.text("src_device");
      const auto to = f.text("dst_device");
      if (!from || !to) return std::nullopt;
    } else if (type && *type != "compute") {
      f.wrong("`event_type` is \"" + excerpt(*type) + "\"; it is compute or transfer");
      return std::nullopt;
    }
    if (!type || !name) return std::nullopt;
    for (const Phase& p : kPhases) {
      if (*name != p.name) continue;
      const OpKind kind = transfer ? p.transfer : p.compute;
      if (kind != OpKind::Failure) return kind;
    }
    f.wrong("`phase` is \"" + excerpt(*name) + "\"; " +
            (transfer ? "a transfer has FORWARD, BACKWARD or BACKWARD_B"
                      : "it is FORWARD, BACKWARD, BACKWARD_B, BACKWARD_W or OPTIMIZER"));
    return std::nullopt;
  }

  ProblemList problems_;
  RankTrace out_;
  bool read_any_ = false;
};

}  // namespace

Result<RankTrace> read_megatron_trace(std::string_view text) {
  return Reader().read(text);
}

}  // namespace sluice
