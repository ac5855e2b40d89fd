#include "cost/network.hpp"

#include <set>

#include "base/hash.hpp"

namespace sluice {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kBitsPerByte = 8;
constexpr double kMsPerSecond = 1000;
constexpr double kUsPerMs = 1000;
/// HOPS multiplies its half-precision presets by this for fp16 and bf16.
constexpr double kHopsHalfSpeedup = 2;

/// The rate HOPS means by "gbps": MiB * 8 per ms.
BytesPerSecond hops_rate(double gbps) {
  return {gbps * kMiB * kMsPerSecond / kBitsPerByte};
}

}  // namespace

// Fills a Network section by section and collects what is wrong with each.
class Network::Builder {
 public:
  Builder(const Scenario& scenario, const Presets& presets)
      : scenario_(scenario),
        presets_(presets),
        hops_units_(scenario.simulation.physics == Physics::Hops),
        half_(scenario.pipeline.precision != Precision::Fp32) {}

  Result<Network> build() {
    add_devices();
    add_device_overrides();
    add_interconnects();
    add_links();
    add_link_overrides();
    if (has_errors(problems_)) return problems_;
    network_.warnings_ = std::move(problems_);
    return std::move(network_);
  }

 private:
  static std::string item(const char* list, std::size_t i) {
    return std::string(list) + "[" + std::to_string(i) + "]";
  }

  Duration duration(double ms, const std::string& path) {
    const auto time = time_from_ms(ms);
    if (time) return *time;
    problems_.push_back(error(Code::LimitTime, path, "a duration beyond 100 days"));
    return {};
  }

  void add_devices() {
    std::set<std::uint64_t> keys;
    for (std::size_t i = 0; i < scenario_.hardware.devices.size(); ++i) {
      const DeviceSpec& spec = scenario_.hardware.devices[i];
      const std::string path = item("hardware.devices", i);
      Device device;
      device.id = spec.id;
      device.preset = spec.preset;
      device.node = spec.node;
      device.socket = spec.socket;
      device.key = hash_text(spec.id);
      if (!network_.index_.emplace(spec.id, static_cast<std::uint32_t>(i)).second) {
        problems_.push_back(error(Code::IdDuplicate, path + ".id",
                                  "a second device with the id \"" + spec.id + "\""));
      } else if (!keys.insert(device.key).second) {
        problems_.push_back(
            error(Code::IdCollision, path + ".id",
                  "\"" + spec.id + "\" has the same hash as another id; choose another"));
      }
      if (const DevicePreset* preset = device_preset(spec, path)) {
        set_from_preset(device, *preset);
        set_written(device, spec, *preset, path);
        set_economy(device, spec, *preset);
      }
      network_.devices_.push_back(std::move(device));
    }
  }

  const DevicePreset* device_preset(const DeviceSpec& spec, const std::string& path) {
    const bool gpu = spec.device_class == DeviceClass::Gpu;
    const std::string at = path + (gpu ? ".gpu" : ".cpu");
    const DevicePreset* preset = presets_.device(spec.preset);
    if (preset == nullptr) {
      std::vector<std::string> names;
      for (const DevicePreset& p : presets_.devices) {
        if (p.device_class == spec.device_class) names.push_back(p.name);
      }
      problems_.push_back(unknown_preset("device", spec.preset, names, at));
      return nullptr;
    }
    if (preset->device_class != spec.device_class) {
      problems_.push_back(error(Code::PresetKind, at,
                                "\"" + spec.preset + "\" is a " + (gpu ? "CPU" : "GPU") + " preset",
                                std::string("write it under `") + (gpu ? "cpu" : "gpu") + "`"));
      return nullptr;
    }
    return preset;
  }

  // Board power is drawn at full load alone: an upper bound. A card that waits in a communication
  // kernel draws far more than one at rest; no sheet says how much.
  static void set_economy(Device& device, const DeviceSpec& spec, const DevicePreset& preset) {
    constexpr double kWaitingShare = 0.3;
    device.power = spec.power_W ? spec.power_W : preset.power_W;
    device.idle_power = spec.idle_power_W;
    if (device.power && !device.idle_power) device.idle_power = kWaitingShare * *device.power;
    device.price_per_hour = spec.price_per_hour;
  }

  void set_from_preset(Device& device, const DevicePreset& preset) {
    if (hops_units_) {
      // A preset that HOPS does not have is put into its units: the peak it would multiply, Gbit
      // for GB.
      const HopsDevice hops = preset.hops.value_or(HopsDevice{
          preset.tflops_half, preset.memory_GiB * 1024, preset.memory_bandwidth_GBps, 1.5});
      device.peak = {hops.tflops * kTera * (half_ ? kHopsHalfSpeedup : 1)};
      device.memory_capacity = bytes_from(hops.memory_mb * kMiB);
      device.memory_bandwidth = hops_rate(hops.memory_bandwidth_gbps);
      device.launch = duration(hops.launch_overhead_ms, "");
      return;
    }
    device.peak = {(half_ ? preset.tflops_half : preset.tflops_fp32) * kTera};
    device.memory_capacity = bytes_from(preset.memory_GiB * kGiB);
    device.memory_bandwidth = {preset.memory_bandwidth_GBps * kGiga};
  }

  void set_written(Device& device, const DeviceSpec& spec, const DevicePreset& preset,
                   const std::string& path) {
    if (half_ && spec.tflops_half) device.peak = {*spec.tflops_half * kTera};
    if (!half_ && spec.tflops_fp32) device.peak = {*spec.tflops_fp32 * kTera};
    if (spec.memory_GiB) device.memory_capacity = bytes_from(*spec.memory_GiB * kGiB);
    if (spec.memory_bandwidth_GBps) device.memory_bandwidth = {*spec.memory_bandwidth_GBps * kGiga};
    if (spec.launch_overhead_ms)
      device.launch = duration(*spec.launch_overhead_ms, path + ".launch_overhead_ms");
    if (spec.link_GBps) device.link_bandwidth = BytesPerSecond{*spec.link_GBps * kGiga};
    device.link_latency =
        duration(spec.link_latency_us.value_or(0) / kUsPerMs, path + ".link_latency_us");
    if (spec.tflops_half && preset.tflops_half > 0 &&
        *spec.tflops_half > preset.tflops_half * 1.05) {
      problems_.push_back(warning(
          Code::DevicePeak, path + ".tflops.bf16", "above the dense peak of the data sheet",
          "data sheets also give a figure with 2:4 sparsity, which training does not reach"));
    }
  }

  void add_device_overrides() {
    for (std::size_t i = 0; i < scenario_.device_overrides.size(); ++i) {
      const DeviceOverride& o = scenario_.device_overrides[i];
      const std::string path = item("overrides.devices", i);
      const auto found = network_.index_.find(o.id);
      if (found == network_.index_.end()) {
        problems_.push_back(network_.unknown_device(o.id, path + ".id"));
        continue;
      }
      Device& device = network_.devices_[found->second];
      if (o.memory_mb) device.memory_capacity = bytes_from(*o.memory_mb * kMiB);
      if (o.flops_tflops) {
        device.peak = {*o.flops_tflops * kTera * (hops_units_ && half_ ? kHopsHalfSpeedup : 1)};
      }
      if (o.launch_overhead_ms)
        device.launch = duration(*o.launch_overhead_ms, path + ".launch_overhead_ms");
      if (!o.memory_bandwidth_gbps) continue;
      device.memory_bandwidth = hops_units_ ? hops_rate(*o.memory_bandwidth_gbps)
                                            : BytesPerSecond{*o.memory_bandwidth_gbps * kGiga};
      if (!hops_units_) {
        problems_.push_back(warning(Code::UnitAmbiguous, path + ".memory_bandwidth_gbps",
                                    "read as GB/s, although the key says Gbit/s",
                                    "write hardware.devices[].memory_bandwidth_GBps"));
      }
    }
  }

  std::optional<Figures> interconnect(const std::string& name, const char* key,
                                      LocalityPenalty& penalty) {
    if (name.empty()) return std::nullopt;
    const std::string path = std::string("hardware.interconnect.") + key;
    const InterconnectPreset* preset = presets_.interconnect(name);
    if (preset == nullptr) {
      std::vector<std::string> names;
      for (const InterconnectPreset& p : presets_.interconnects) names.push_back(p.name);
      problems_.push_back(unknown_preset("interconnect", name, names, path));
      return std::nullopt;
    }
    penalty = preset->penalty;
    const bool hops = hops_units_ && preset->hops_gbps.has_value();
    return Figures{
        hops ? hops_rate(*preset->hops_gbps) : BytesPerSecond{preset->bandwidth_GBps * kGiga},
        duration(preset->latency_us / kUsPerMs, path),
        preset->jitter,
        {}};
  }

  void add_interconnects() {
    const HardwareSection& h = scenario_.hardware;
    // Nothing below SameDevice: data that does not move costs nothing.
    network_.penalties_.assign(4, LocalityPenalty{});
    network_.by_locality_.assign(4, std::nullopt);
    const bool own_socket = !h.same_socket.empty();
    network_.by_locality_[1] =
        interconnect(own_socket ? h.same_socket : h.same_node,
                     own_socket ? "same_socket" : "same_node", network_.penalties_[1]);
    network_.by_locality_[2] = own_socket
                                   ? interconnect(h.same_node, "same_node", network_.penalties_[2])
                                   : network_.by_locality_[1];
    if (!own_socket) network_.penalties_[2] = network_.penalties_[1];
    network_.by_locality_[3] = interconnect(h.cross_node, "cross_node", network_.penalties_[3]);
    if (!scenario_.simulation.options.locality_penalty)
      network_.penalties_.assign(4, LocalityPenalty{});
  }

  void set_pair(const std::string& from, const std::string& to, const Figures& figures,
                const std::string& path, const char* from_key, const char* to_key) {
    const auto a = network_.index_.find(from);
    const auto b = network_.index_.find(to);
    if (a == network_.index_.end())
      problems_.push_back(network_.unknown_device(from, path + "." + from_key));
    if (b == network_.index_.end())
      problems_.push_back(network_.unknown_device(to, path + "." + to_key));
    if (a == network_.index_.end() || b == network_.index_.end()) return;
    if (a->second == b->second) {
      problems_.push_back(error(Code::LinkSelf, path, "a link from \"" + from + "\" to itself"));
      return;
    }
    if (network_.explicit_.insert_or_assign({a->second, b->second}, figures).second) {
      network_.explicit_order_.push_back({DeviceId{a->second}, DeviceId{b->second}});
    }
  }

  void check_points(const std::vector<LinkPoint>& points, const std::string& path) {
    LinkPoint before;
    for (const LinkPoint& p : points) {
      if (p.size_MiB <= before.size_MiB) {
        problems_.push_back(error(Code::ValueRange, path, "points must ascend by size"));
        return;
      }
      before = p;
    }
  }

  // What others that know no points may take for the bandwidth.
  static double large_rate(const std::vector<LinkPoint>& points) {
    const LinkPoint& p = points.back();
    return p.time_ms > 0 ? p.size_MiB * kMiB / p.time_ms * kMsPerSecond : kGiga;
  }

  void add_links() {
    for (std::size_t i = 0; i < scenario_.hardware.links.size(); ++i) {
      const LinkSpec& l = scenario_.hardware.links[i];
      const std::string path = item("hardware.links", i);
      if (!l.points.empty()) check_points(l.points, path + ".points");
      if (!l.bandwidth_GBps && l.points.empty()) {
        problems_.push_back(
            error(Code::KeyMissing, path + ".bandwidth_GBps", "`bandwidth_GBps` is missing"));
        continue;
      }
      const Figures figures{{l.points.empty() ? *l.bandwidth_GBps * kGiga : large_rate(l.points)},
                            duration(l.latency_us.value_or(0) / kUsPerMs, path + ".latency_us"),
                            l.jitter,
                            l.points};
      if (l.is_default) {
        network_.default_ = figures;
        continue;
      }
      if (l.from.empty() || l.to.empty()) {
        problems_.push_back(
            error(Code::KeyMissing, path, "a link needs `from` and `to`, or `default: true`"));
        continue;
      }
      set_pair(l.from, l.to, figures, path, "from", "to");
      if (!l.oneway) set_pair(l.to, l.from, figures, path, "to", "from");
    }
  }

  void add_link_overrides() {
    for (std::size_t i = 0; i < scenario_.link_overrides.size(); ++i) {
      const LinkOverride& l = scenario_.link_overrides[i];
      const std::string path = item("overrides.links", i);
      const BytesPerSecond rate = hops_units_
                                      ? hops_rate(l.bandwidth_gbps)
                                      : BytesPerSecond{l.bandwidth_gbps * kGiga / kBitsPerByte};
      set_pair(l.src, l.dst,
               {rate, duration(l.latency_us / kUsPerMs, path + ".latency_us"), l.jitter, {}}, path,
               "src", "dst");
    }
  }

  const Scenario& scenario_;
  const Presets& presets_;
  bool hops_units_;
  bool half_;
  Network network_;
  Diagnostics problems_;
};

std::optional<Network::Reach> Network::reach(Locality locality) const {
  const auto& figures = by_locality_[static_cast<std::size_t>(locality)];
  if (!figures) return std::nullopt;
  return Reach{figures->bandwidth, figures->latency};
}

std::optional<Network::Reach> Network::default_reach() const {
  if (!default_) return std::nullopt;
  return Reach{default_->bandwidth, default_->latency};
}

Result<Network> Network::build(const Scenario& scenario, const Presets& presets) {
  return Builder(scenario, presets).build();
}

const Device* Network::find(const std::string& id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &devices_[found->second];
}

Diagnostic Network::unknown_device(const std::string& id, const std::string& path) const {
  std::vector<std::string> ids;
  for (const Device& d : devices_) ids.push_back(d.id);
  const std::string near = nearest(id, ids);
  Diagnostic d =
      error(Code::ReferenceDevice, path, "no device has the id \"" + id + "\"",
            near.empty() ? "devices stand in hardware.devices" : "did you mean \"" + near + "\"?");
  d.fix = near;
  return d;
}

DeviceId Network::id_of(const std::string& id) const {
  const auto found = index_.find(id);
  SLUICE_CHECK(found != index_.end());
  return DeviceId{found->second};
}

Result<Link> Network::link(DeviceId from, DeviceId to) const {
  const Device& a = devices_[from.index()];
  const Device& b = devices_[to.index()];
  Link link;
  link.from = from;
  link.to = to;
  link.key = hash_text(a.id + "->" + b.id);
  const auto named = explicit_.find({from.value, to.value});
  const Locality near = locality(a, b);
  std::optional<Figures> figures;
  if (named != explicit_.end()) {
    figures = named->second;
    link.explicit_pair = true;
  } else if (default_) {
    figures = default_;
  } else {
    figures = by_locality_[static_cast<std::size_t>(near)];
  }
  if (!figures) {
    const char* key = near == Locality::CrossNode ? "cross_node" : "same_node";
    return error(Code::LinkMissing, "hardware",
                 "nothing joins \"" + a.id + "\" to \"" + b.id + "\"",
                 std::string("name a preset in hardware.interconnect.") + key +
                     ", or a link in hardware.links");
  }
  // A penalty stretches all that a preset link takes; pairs named one by one are taken as measured.
  const double scale = link.explicit_pair ? 1.0 : penalty(near).transfer_scale;
  link.bandwidth = {figures->bandwidth.value / scale};
  link.latency = scale == 1.0 ? figures->latency : *time_from_ms(to_ms(figures->latency) * scale);
  link.points = figures->points;
  link.jitter = figures->jitter;
  link.jitter_scale = scale;
  return link;
}

}  // namespace sluice
