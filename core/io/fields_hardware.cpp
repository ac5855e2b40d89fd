// `hardware` and `overrides`: devices and what joins them.
#include <array>

#include "io/fields.hpp"

namespace sluice {
namespace {

void describe_device(Fields& f, DeviceSpec& d) {
  f.text({.name = "id", .doc = "Name of the device in this file", .required = true}, d.id);
  const bool all = f.documenting();
  const bool is_gpu = d.device_class == DeviceClass::Gpu;
  std::string gpu = is_gpu ? d.preset : "";
  std::string cpu = is_gpu ? "" : d.preset;
  f.optional_text({.name = "gpu", .doc = "Preset of a GPU"}, gpu);
  f.optional_text({.name = "cpu", .doc = "Preset of a CPU"}, cpu);
  if (!all) {
    d.device_class = cpu.empty() ? DeviceClass::Gpu : DeviceClass::Cpu;
    d.preset = cpu.empty() ? gpu : cpu;
  }
  constexpr std::array<std::string_view, 2> kEither{"gpu", "cpu"};
  f.exclusive(kEither, true);
  f.text({.name = "node", .doc = "Machine the device sits in", .required = true}, d.node);
  f.text({.name = "socket", .doc = "Socket within the node", .required = true}, d.socket);
  f.present(d.tflops_half.has_value() || d.tflops_fp32.has_value());
  f.object({.name = "tflops", .doc = "Dense peaks, in the place of the preset's"}, [&](Fields& g) {
    std::optional<double> fp16;
    g.optional_number({.name = "bf16", .doc = "Dense bf16 peak", .unit = "TFLOP/s"}, d.tflops_half,
                      kPositive);
    g.optional_number(
        {.name = "fp16", .doc = "Dense fp16 peak, when bf16 is not written", .unit = "TFLOP/s"},
        fp16, kPositive);
    if (!g.documenting() && !d.tflops_half) d.tflops_half = fp16;
    g.optional_number({.name = "fp32", .doc = "Peak for fp32", .unit = "TFLOP/s"}, d.tflops_fp32,
                      kPositive);
  });
  f.optional_number(
      {.name = "memory_GiB", .doc = "Memory, in the place of the preset's", .unit = "GiB"},
      d.memory_GiB, kPositive);
  f.optional_number({.name = "memory_bandwidth_GBps",
                     .doc = "Memory bandwidth, in the place of the preset's",
                     .unit = "GB/s"},
                    d.memory_bandwidth_GBps, kPositive);
  f.optional_number({.name = "launch_overhead_ms", .doc = "Added to each operation", .unit = "ms"},
                    d.launch_overhead_ms, kNonNegative);
  f.optional_number({.name = "link_GBps",
                     .doc = "What joins the devices of a tensor-parallel group, one direction, in "
                            "the place of the interconnect's",
                     .unit = "GB/s"},
                    d.link_GBps, kPositive);
  f.optional_number({.name = "link_latency_us", .doc = "Its latency", .unit = "us"},
                    d.link_latency_us, kNonNegative);
  f.optional_number(
      {.name = "power_W", .doc = "Power while it computes, default the preset's", .unit = "W"},
      d.power_W, kNonNegative);
  f.optional_number({.name = "idle_power_W",
                     .doc = "Power while it waits, default 0.3 of power_W, which is assumed",
                     .unit = "W"},
                    d.idle_power_W, kNonNegative);
  f.optional_number(
      {.name = "price_per_hour", .doc = "Price of the device for an hour, in any one currency"},
      d.price_per_hour, kNonNegative);
}

void describe_link(Fields& f, LinkSpec& l) {
  const bool all = f.documenting();
  f.present(l.is_default);
  f.boolean({.name = "default", .doc = "This entry stands for every pair that no other names"},
            l.is_default);
  if (all || !l.is_default) {
    f.optional_text({.name = "from", .doc = "Device at one end"}, l.from);
    f.optional_text({.name = "to", .doc = "Device at the other end"}, l.to);
    f.present(l.oneway);
    f.boolean(
        {.name = "oneway", .doc = "Only from `from` to `to`; otherwise both directions alike"},
        l.oneway);
  }
  f.optional_number({.name = "bandwidth_GBps", .doc = "Bandwidth of one direction", .unit = "GB/s"},
                    l.bandwidth_GBps, kPositive);
  f.optional_number({.name = "latency_us", .doc = "Latency", .unit = "us"}, l.latency_us,
                    kNonNegative);
  f.present(!l.points.empty());
  f.list_of<LinkPoint>(
      {.name = "points", .doc = "Measured transfers, in the place of the bandwidth"}, l.points,
      [](Fields& g, LinkPoint& p) {
        g.number({.name = "size_MiB", .doc = "Size of a message", .unit = "MiB", .required = true},
                 p.size_MiB, kPositive);
        g.number({.name = "time_ms", .doc = "Time it took", .unit = "ms", .required = true},
                 p.time_ms, kNonNegative);
      });
  f.present(!l.jitter.fixed() || l.jitter.a != 0);
  describe_distribution(f, {.name = "jitter", .doc = "Added to each transfer", .unit = "ms"},
                        l.jitter);
}

}  // namespace

void describe_hardware(Fields& f, HardwareSection& h, bool planned) {
  f.present(!planned || !h.devices.empty());
  f.list_of<DeviceSpec>(
      {.name = "devices", .doc = "All devices; ids are unique", .required = !planned}, h.devices,
      describe_device);
  f.present(!h.switches.empty());
  f.list_of<SwitchSpec>({.name = "switches", .doc = "What joins nodes and can fail"}, h.switches,
                        [](Fields& g, SwitchSpec& s) {
                          g.text({.name = "id", .doc = "Name", .required = true}, s.id);
                          g.list_of<std::string>(
                              {.name = "nodes", .doc = "Nodes it joins", .required = true}, s.nodes,
                              [](Fields& each, std::string& node) {
                                each.text({.name = "", .doc = "A node"}, node);
                              });
                        });
  constexpr Range kReserve{0, 0.99, false};
  f.number({.name = "memory_reserve",
            .doc = "Share of every device's memory that framework, context and fragmentation take"},
           h.memory_reserve, kReserve);
  f.optional_number(
      {.name = "price_per_kWh", .doc = "Price of electricity, where it is paid beside the devices"},
      h.price_per_kWh, kNonNegative);
  f.object({.name = "interconnect", .doc = "Presets of the links, by how near two devices are"},
           [&](Fields& g) {
             g.optional_text(
                 {.name = "same_socket", .doc = "Within a socket; same_node when not written"},
                 h.same_socket);
             g.optional_text({.name = "same_node", .doc = "Between sockets of a node"},
                             h.same_node);
             g.optional_text({.name = "cross_node", .doc = "Between nodes"}, h.cross_node);
           });
  f.present(!h.links.empty());
  f.list_of<LinkSpec>({.name = "links", .doc = "Single links, over the presets"}, h.links,
                      describe_link);
}

void describe_overrides(Fields& f, Scenario& s) {
  f.present(!s.device_overrides.empty());
  f.list_of<DeviceOverride>(
      {.name = "devices", .doc = "Figures of single devices"}, s.device_overrides,
      [](Fields& g, DeviceOverride& d) {
        g.text({.name = "id", .doc = "The device", .required = true}, d.id);
        g.optional_number({.name = "memory_mb", .doc = "Memory", .unit = "MiB"}, d.memory_mb,
                          kPositive);
        g.optional_number({.name = "flops_tflops", .doc = "Peak", .unit = "TFLOP/s"},
                          d.flops_tflops, kPositive);
        g.optional_number(
            {.name = "memory_bandwidth_gbps",
             .doc = "Memory bandwidth: GB/s, under hops Gbit as that simulator reads it"},
            d.memory_bandwidth_gbps, kPositive);
        g.optional_number(
            {.name = "launch_overhead_ms", .doc = "Added to each operation", .unit = "ms"},
            d.launch_overhead_ms, kNonNegative);
      });
  f.present(!s.link_overrides.empty());
  f.list_of<LinkOverride>(
      {.name = "links", .doc = "Single directed links"}, s.link_overrides,
      [](Fields& g, LinkOverride& l) {
        g.text({.name = "src", .doc = "Sending device", .required = true}, l.src);
        g.text({.name = "dst", .doc = "Receiving device", .required = true}, l.dst);
        g.number({.name = "bandwidth_gbps",
                  .doc = "Bandwidth: 1e9 bit/s, under hops MiB * 8 / ms",
                  .required = true},
                 l.bandwidth_gbps, kPositive);
        g.number({.name = "latency_us", .doc = "Latency", .unit = "us", .required = true},
                 l.latency_us, kNonNegative);
        describe_distribution(g, {.name = "jitter", .doc = "Added to each transfer", .unit = "ms"},
                              l.jitter);
      });
}

}  // namespace sluice
