#include "io/presets.hpp"

#include <nlohmann/json.hpp>

#include "io/embedded.hpp"
#include "io/json.hpp"
#include "io/model_presets.hpp"
#include "io/number.hpp"
#include "io/yaml_document.hpp"

namespace sluice {
namespace {

std::string text_of(const YamlNode& map, std::string_view key) {
  const YamlNode* node = map.find(key);
  return node == nullptr ? std::string() : node->scalar;
}

std::optional<double> number_of(const YamlNode& map, std::string_view key) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return std::nullopt;
  const ParsedNumber parsed = parse_number(node->scalar);
  SLUICE_CHECK(parsed.status == NumberStatus::Ok);
  return parsed.value;
}

double required(const YamlNode& map, std::string_view key) {
  const auto value = number_of(map, key);
  SLUICE_CHECK(value.has_value());
  return *value;
}

DevicePreset read_device(const YamlNode& node) {
  DevicePreset d;
  d.name = text_of(node, "name");
  d.title = text_of(node, "title");
  d.device_class = text_of(node, "kind") == "cpu" ? DeviceClass::Cpu : DeviceClass::Gpu;
  const YamlNode* tflops = node.find("tflops");
  SLUICE_CHECK(!d.name.empty() && tflops != nullptr);
  d.tflops_half = number_of(*tflops, "bf16").value_or(number_of(*tflops, "fp16").value_or(0));
  d.tflops_fp32 = required(*tflops, "fp32");
  if (d.tflops_half == 0) d.tflops_half = d.tflops_fp32;
  d.memory_GiB = required(node, "memory_GiB");
  d.memory_bandwidth_GBps = required(node, "memory_bandwidth_GBps");
  d.link_GBps = number_of(node, "link_GBps");
  d.power_W = number_of(node, "power_W");
  d.source = text_of(node, "source");
  d.uncertain = text_of(node, "uncertain");
  if (const YamlNode* hops = node.find("hops")) {
    d.hops = HopsDevice{.tflops = required(*hops, "tflops"),
                        .memory_mb = required(*hops, "memory_mb"),
                        .memory_bandwidth_gbps = required(*hops, "memory_bandwidth_gbps"),
                        .launch_overhead_ms = required(*hops, "launch_overhead_ms")};
  }
  return d;
}

InterconnectPreset read_interconnect(const YamlNode& node) {
  InterconnectPreset i;
  i.name = text_of(node, "name");
  i.title = text_of(node, "title");
  i.bandwidth_GBps = required(node, "bandwidth_GBps");
  i.latency_us = required(node, "latency_us");
  i.source = text_of(node, "source");
  i.hops_gbps = number_of(node, "hops_gbps");
  if (const YamlNode* jitter = node.find("jitter")) {
    SLUICE_CHECK(text_of(*jitter, "type") == "normal");
    i.jitter = {DistributionKind::Normal, required(*jitter, "mean"), required(*jitter, "std")};
  }
  if (const YamlNode* penalty = node.find("penalty")) {
    i.penalty = {.compute_scale = required(*penalty, "compute_scale"),
                 .memory_bandwidth_scale = required(*penalty, "memory_bandwidth_scale"),
                 .memory_latency_us = required(*penalty, "memory_latency_us"),
                 .transfer_scale = required(*penalty, "transfer_scale")};
  }
  return i;
}

DeviceCalibration read_device_calibration(const YamlNode& node) {
  DeviceCalibration d;
  d.gpu = text_of(node, "gpu");
  d.host_forward_ms = required(node, "host_forward_ms");
  d.host_backward_ms = required(node, "host_backward_ms");
  d.matmul_efficiency = required(node, "matmul_efficiency");
  d.bandwidth_efficiency = required(node, "bandwidth_efficiency");
  d.l2_MB = required(node, "l2_MB");
  d.multiprocessors = static_cast<int>(number_of(node, "multiprocessors").value_or(0));
  d.nic_GBps = number_of(node, "nic_GBps");
  return d;
}

std::optional<ErrorFigures> read_error(const YamlNode& root, const char* key) {
  const YamlNode* node = root.find(key);
  if (node == nullptr) return std::nullopt;
  return ErrorFigures{.mean_pct = required(*node, "mean_pct"),
                      .worst_pct = required(*node, "worst_pct")};
}

Presets read_presets() {
  Presets presets;
  for (const EmbeddedFile& file : embedded_presets()) {
    if (file.name.starts_with("calibration/")) {
      const Result<YamlTree> tree = parse_yaml(file.text);
      SLUICE_CHECK(tree.ok());
      presets.calibrations.push_back(read_calibration(*tree.value()));
      continue;
    }
    if (file.name != "devices.yaml" && file.name != "interconnects.yaml") continue;
    Result<YamlTree> tree = parse_yaml(file.text);
    SLUICE_CHECK(tree.ok());
    const bool devices = file.name == "devices.yaml";
    const YamlNode* list = tree.value()->find(devices ? "devices" : "interconnects");
    SLUICE_CHECK(list != nullptr);
    for (const YamlTree& item : list->items) {
      if (devices) {
        presets.devices.push_back(read_device(*item));
      } else {
        presets.interconnects.push_back(read_interconnect(*item));
      }
    }
  }
  return presets;
}

}  // namespace

Calibration read_calibration(const YamlNode& root) {
  Calibration c;
  c.name = text_of(root, "name");
  c.title = text_of(root, "title");
  c.provenance = text_of(root, "provenance");
  for (const YamlTree& d : root.find("devices")->items)
    c.devices.push_back(read_device_calibration(*d));
  c.otherwise = read_device_calibration(*root.find("otherwise"));
  for (const YamlTree& p : root.find("pairs")->items)
    c.pairs.push_back({text_of(*p, "gpu"), required(*p, "reduction_GBps")});
  for (const YamlTree& e : root.find("environments")->items) {
    c.environments.push_back({.name = text_of(*e, "name"),
                              .doc = text_of(*e, "doc"),
                              .gpu = text_of(*e, "gpu"),
                              .at_least = static_cast<int>(required(*e, "at_least")),
                              .not_last = text_of(*e, "not_last"),
                              .probability = required(*e, "probability"),
                              .stall_ms = required(*e, "stall_ms")});
  }
  c.error = read_error(root, "error");
  c.error_otherwise = read_error(root, "error_otherwise");
  const YamlNode& constants = *root.find("constants");
  for (const NamedConstant& n : calibration_constants())
    c.constants.*n.member = required(constants, n.name);
  return c;
}

const Presets& load_presets() {
  static const Presets kPresets = read_presets();
  return kPresets;
}

std::string presets_json() {
  const Presets& presets = load_presets();
  Json devices = Json::array();
  for (const DevicePreset& d : presets.devices) {
    devices.push_back(json_object({{"name", d.name},
                                   {"title", d.title},
                                   {"kind", d.device_class == DeviceClass::Cpu ? "cpu" : "gpu"},
                                   {"tflops_half", d.tflops_half},
                                   {"tflops_fp32", d.tflops_fp32},
                                   {"memory_GiB", d.memory_GiB},
                                   {"memory_bandwidth_GBps", d.memory_bandwidth_GBps},
                                   {"source", d.source},
                                   {"uncertain", d.uncertain}}));
  }
  Json interconnects = Json::array();
  for (const InterconnectPreset& i : presets.interconnects) {
    interconnects.push_back(json_object({{"name", i.name},
                                         {"title", i.title},
                                         {"bandwidth_GBps", i.bandwidth_GBps},
                                         {"latency_us", i.latency_us},
                                         {"source", i.source}}));
  }
  return json_text(json_object(
      {{"devices", devices}, {"interconnects", interconnects}, {"models", model_preset_names()}}));
}

}  // namespace sluice
