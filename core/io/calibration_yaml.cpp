#include "io/calibration_yaml.hpp"

#include "io/number.hpp"

namespace sluice {
namespace {

std::string device_text(const DeviceCalibration& d) {
  std::string out = "{";
  if (!d.gpu.empty()) out += "gpu: " + d.gpu + ", ";
  out += "host_forward_ms: " + number_text(d.host_forward_ms) +
         ", host_backward_ms: " + number_text(d.host_backward_ms) +
         ", matmul_efficiency: " + number_text(d.matmul_efficiency) +
         ", bandwidth_efficiency: " + number_text(d.bandwidth_efficiency) +
         ", l2_MB: " + number_text(d.l2_MB);
  if (d.multiprocessors > 0) out += ", multiprocessors: " + std::to_string(d.multiprocessors);
  if (d.nic_GBps) out += ", nic_GBps: " + number_text(*d.nic_GBps);
  return out + "}";
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string error_text(const char* key, const std::optional<ErrorFigures>& error) {
  if (!error) return "";
  return std::string("\n") + key + ": {mean_pct: " + number_text(error->mean_pct) +
         ", worst_pct: " + number_text(error->worst_pct) + "}";
}

std::string intervals_text(const std::vector<ConstantInterval>& intervals) {
  // As fine as anyone knows them.
  constexpr int kDigits = 4;
  std::string out;
  for (const ConstantInterval& i : intervals) {
    if (!(i.low < i.high)) continue;
    out += (out.empty() ? "\nintervals:\n  " : "\n  ") + i.name + ": [" +
           short_text(i.low, kDigits) + ", " + short_text(i.high, kDigits) + "]";
  }
  return out;
}

}  // namespace

std::string calibration_yaml(const Calibration& c, const std::string& comment,
                             const std::vector<ConstantInterval>& intervals) {
  std::string out = "# " + comment + "\nname: " + c.name + "\ntitle: " + in_quotes(c.title) +
                    "\nprovenance: " + in_quotes(c.provenance) + "\ndevices:\n";
  for (const DeviceCalibration& d : c.devices) out += "  - " + device_text(d) + "\n";
  out += "otherwise: " + device_text(c.otherwise) + "\npairs:" + (c.pairs.empty() ? " []" : "");
  for (const PairCalibration& p : c.pairs)
    out += "\n  - {gpu: " + p.gpu + ", reduction_GBps: " + number_text(p.reduction_GBps) + "}";
  out += "\nconstants:\n";
  for (const NamedConstant& n : calibration_constants())
    out += std::string("  ") + n.name + ": " + number_text(c.constants.*n.member) + "\n";
  out += std::string("environments:") + (c.environments.empty() ? " []" : "");
  for (const Environment& e : c.environments) {
    out += "\n  - {name: " + e.name + ", doc: " + in_quotes(e.doc) + ", gpu: " + e.gpu +
           ", at_least: " + std::to_string(e.at_least) + ", not_last: " + e.not_last +
           ", probability: " + number_text(e.probability) +
           ", stall_ms: " + number_text(e.stall_ms) + "}";
  }
  out += error_text("error", c.error) + error_text("error_otherwise", c.error_otherwise);
  return out + intervals_text(intervals) + "\n";
}

}  // namespace sluice
