#include "io/chrome_trace.hpp"

#include "io/json.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

constexpr int kDevices = 1;
constexpr int kLinks = 2;

// Names of Chrome's reserved palette, near to the page's colours.
const char* colour(OpKind kind) {
  switch (kind) {
    case OpKind::Forward:
      return "thread_state_running";
    case OpKind::Backward:
      return "thread_state_iowait";
    case OpKind::InputGrad:
      return "rail_animation";
    case OpKind::WeightGrad:
      return "good";
    case OpKind::Activation:
      return "rail_response";
    case OpKind::Gradient:
      return "rail_load";
    case OpKind::Failure:
      return "terrible";
    default:
      return "grey";
  }
}

std::string microseconds(std::int64_t ps) {
  return fixed_text(ps, 6);
}

class ChromeWriter {
 public:
  ChromeWriter(const Program& program, const Trace& trace) : p_(program), t_(trace) {}

  std::string write(const std::string& title) {
    out_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"producer\":\"sluice\",\"title\":" +
           json_text(Json(title)) + "},\"traceEvents\":[\n";
    name(kDevices, -1, "process_name", "devices");
    name(kLinks, -1, "process_name", "links");
    for (std::size_t d = 0; d < p_.machine.devices.size(); ++d) {
      name(kDevices, static_cast<int>(d), "thread_name", p_.machine.devices[d].id);
    }
    for (std::size_t l = 0; l < p_.machine.links.size(); ++l) {
      const Link& link = p_.machine.links[l];
      name(kLinks, static_cast<int>(l), "thread_name",
           p_.machine.device(link.from).id + "->" + p_.machine.device(link.to).id);
    }
    for (std::size_t row = 0; row < t_.rows(); ++row) slice(row);
    for (std::size_t row = 0; row < t_.rows(); ++row) flow(row);
    // The last entry has no comma behind it.
    out_.resize(out_.size() - 2);
    return out_ + "\n]}\n";
  }

 private:
  void name(int process, int thread, const char* what, const std::string& text) {
    out_ += "{\"ph\":\"M\",\"pid\":" + std::to_string(process);
    if (thread >= 0) out_ += ",\"tid\":" + std::to_string(thread);
    out_ += ",\"name\":\"" + std::string(what) + "\",\"args\":{\"name\":" + json_text(Json(text)) +
            "}},\n";
  }
  [[nodiscard]] std::string where(std::size_t row) const {
    const std::uint32_t r = t_.resource[row];
    const bool link = r >= t_.devices;
    return "\"pid\":" + std::to_string(link ? kLinks : kDevices) +
           ",\"tid\":" + std::to_string(link ? r - t_.devices : r);
  }
  void slice(std::size_t row) {
    const OpKind kind = t_.kind_at(row);
    out_ += "{\"ph\":\"X\"," + where(row) + ",\"ts\":" + microseconds(t_.start[row]) +
            ",\"dur\":" + microseconds(t_.end[row] - t_.start[row]) + ",\"name\":\"" +
            std::string(kind_text(kind));
    if (t_.per_microbatch(row))
      out_ += (kind < OpKind::Activation ? "" : " ") + std::to_string(t_.microbatch_at(row));
    out_ += "\",\"cname\":\"" + std::string(colour(kind)) +
            "\",\"args\":{\"batch\":" + std::to_string(t_.batch_at(row));
    if (t_.per_microbatch(row)) out_ += ",\"microbatch\":" + std::to_string(t_.microbatch_at(row));
    if (t_.slices > 1 && t_.per_microbatch(row))
      out_ += ",\"slice\":" + std::to_string(t_.slice_at(row));
    if (t_.stage[row] != kNoStage) out_ += ",\"stage\":" + std::to_string(t_.model_stage_at(row));
    if (p_.plan.placement.pipes > 1 && t_.stage[row] != kNoStage)
      out_ += ",\"pipe\":" + json_text(Json(name_of_pipe(t_.pipe_at(row))));
    out_ += "}},\n";
  }
  void flow(std::size_t row) {
    const std::uint32_t from = t_.predecessor[row];
    if (from == kNoRow || t_.resource[from] == t_.resource[row]) return;
    const std::string id =
        ",\"id\":" + std::to_string(row) + ",\"cat\":\"dependency\",\"name\":\"decides\"";
    out_ += "{\"ph\":\"s\"," + where(from) + ",\"ts\":" + microseconds(t_.end[from]) + id + "},\n";
    out_ += "{\"ph\":\"f\",\"bp\":\"e\"," + where(row) + ",\"ts\":" + microseconds(t_.start[row]) +
            id + "},\n";
  }

  [[nodiscard]] std::string name_of_pipe(std::uint32_t pipe) const {
    return p_.plan.pipelines.empty() ? pipe_name(static_cast<int>(pipe)) : p_.plan.pipelines[pipe];
  }

  const Program& p_;
  const Trace& t_;
  std::string out_;
};

}  // namespace

std::string chrome_trace(const Program& program, const Trace& trace, const std::string& title) {
  return ChromeWriter(program, trace).write(title);
}

}  // namespace sluice
