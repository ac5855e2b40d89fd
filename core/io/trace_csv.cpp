#include "io/trace_csv.hpp"

#include <vector>

#include "base/stable_order.hpp"
#include "io/csv_table.hpp"
#include "io/number.hpp"
#include "metrics/versions.hpp"

namespace sluice {
namespace {

std::string_view phase_text(OpKind kind, bool split) {
  switch (kind) {
    case OpKind::Forward:
    case OpKind::Activation:
      return "FORWARD";
    case OpKind::Backward:
      return "BACKWARD";
    case OpKind::InputGrad:
      return "BACKWARD_B";
    case OpKind::Gradient:
      return split ? "BACKWARD_B" : "BACKWARD";
    case OpKind::WeightGrad:
      return "BACKWARD_W";
    case OpKind::Update:
    case OpKind::AllReduce:
      return "OPTIMIZER";
    default:
      return "";
  }
}

enum class Group { Compute, Transfer, Failure };

class CsvWriter {
 public:
  CsvWriter(const Program& program, const Trace& trace) : p_(program), t_(trace) {
    if (!p_.plan.synchronous) versions_ = versions_of(p_.plan, p_.plan.batches_in_order);
    for (const Device& d : p_.machine.devices) names_.push_back(csv_text(d.id));
    for (const Link& l : p_.machine.links) {
      from_.push_back(names_[l.from.index()]);
      to_.push_back(names_[l.to.index()]);
      links_.push_back(csv_text(p_.machine.device(l.from).id + "->" + p_.machine.device(l.to).id));
    }
  }

  std::string write() {
    out_ =
        "event_type,phase,stage_id,microbatch_id,device_id,src_device,dst_device,start_time_ms,end_"
        "time_ms,duration_ms,"
        "target_id,recovery_time_ms,batch,pipeline,slice,bytes,version_forward,version_backward,"
        "outcome\n";
    write_group(Group::Compute);
    write_group(Group::Transfer);
    write_group(Group::Failure);
    return std::move(out_);
  }

 private:
  [[nodiscard]] Group group(std::size_t row) const {
    if (t_.kind_at(row) == OpKind::Failure) return Group::Failure;
    return t_.resource[row] < t_.devices ? Group::Compute : Group::Transfer;
  }

  void write_group(Group wanted) {
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < t_.rows(); ++row) {
      if (group(row) == wanted) rows.push_back(static_cast<std::uint32_t>(row));
    }
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      return t_.end[rows[a]] < t_.end[rows[b]];
    };
    for (const std::uint32_t i : stable_order(rows.size(), earlier)) write_row(rows[i], wanted);
  }

  void write_row(std::size_t row, Group group) {
    const std::uint32_t resource = t_.resource[row];
    const bool link = resource >= t_.devices;
    out_ += group == Group::Compute    ? "compute,"
            : group == Group::Transfer ? "transfer,"
                                       : "failure,";
    out_ += phase_text(t_.kind_at(row), p_.plan.split_backward);
    out_ += ',';
    // A transfer belongs to two stages; HOPS leaves its field empty.
    if (group == Group::Compute && t_.stage[row] != kNoStage) {
      out_ += std::to_string(t_.model_stage_at(row));
    }
    out_ += ',';
    if (t_.per_microbatch(row)) out_ += std::to_string(t_.unit_at(row));
    out_ += ',';
    if (!link && group == Group::Compute) out_ += names_[resource];
    out_ += ',';
    if (link && group == Group::Transfer) out_ += from_[resource - t_.devices];
    out_ += ',';
    if (link && group == Group::Transfer) out_ += to_[resource - t_.devices];
    out_ += ',';
    out_ += ms_text(t_.start[row]);
    out_ += ',';
    out_ += ms_text(t_.end[row]);
    out_ += ',';
    out_ += ms_text(t_.end[row] - t_.start[row]);
    out_ += ',';
    if (group == Group::Failure) {
      out_ += link ? links_[resource - t_.devices] : names_[resource];
    }
    out_ += ',';
    if (group == Group::Failure) out_ += ms_text(t_.end[row]);
    out_ += ',' + std::to_string(t_.batch_at(row)) + ',' + std::to_string(t_.pipe_at(row)) + ',' +
            std::to_string(t_.slice_at(row)) + ',';
    if (group == Group::Transfer) out_ += std::to_string(bytes_of(row));
    write_versions(row, group);
    out_ += t_.done_at(row) ? ",done\n" : ",lost\n";
  }

  // Versions are told of where they are not simply the batch.
  void write_versions(std::size_t row, Group group) {
    if (versions_.stages == 0 || group != Group::Compute || !t_.per_microbatch(row)) {
      out_ += ",,";
      return;
    }
    const std::size_t at = versions_.at(t_.unit_at(row), t_.model_stage_at(row));
    out_ +=
        ',' + std::to_string(versions_.forward[at]) + ',' + std::to_string(versions_.backward[at]);
  }

  [[nodiscard]] std::int64_t bytes_of(std::size_t row) const {
    return t_.kind_at(row) == OpKind::AllReduce ? p_.collective_bytes.value
                                                : p_.boundary_of(t_.stage[row]).value;
  }

  const Program& p_;
  const Trace& t_;
  std::vector<std::string> names_;
  std::vector<std::string> from_;
  std::vector<std::string> to_;
  std::vector<std::string> links_;
  /// Without stages for a synchronous schedule.
  VersionTable versions_;
  std::string out_;
};

}  // namespace

std::string trace_csv(const Program& program, const Trace& trace) {
  return CsvWriter(program, trace).write();
}

}  // namespace sluice
