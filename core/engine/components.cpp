#include "engine/components.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "base/det_math.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "base/stable_order.hpp"

namespace sluice {
namespace {

constexpr double kMsPerHour = 3.6e6;
constexpr double kMsPerS = 1e3;

bool is_all(const std::vector<std::string>& ids) {
  return ids.size() == 1 && ids.front() == "all";
}

std::string at(const std::string& path, const char* key, std::size_t i) {
  return path + "." + key + "[" + std::to_string(i) + "]";
}

// The mean of (-ln u)^(1/shape) is the gamma function of 1 + 1/shape. Below 16 its argument is
// raised until Stirling's series is exact enough.
double mean_of_unit_weibull(double shape) {
  constexpr int kRaise = 16;
  const double y = 1 / shape;
  double product = 1;
  for (int i = 1; i <= kRaise; ++i) product *= y + i;
  return det::exp(det::log_factorial(y + kRaise) - det::log(product));
}

const std::string& node_of(const Machine& machine, std::uint32_t device) {
  return machine.devices[device].node;
}

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<std::string> nodes_of(const Machine& machine) {
  std::vector<std::string> out;
  for (const Device& d : machine.devices) {
    if (!d.node.empty() && !contains(out, d.node)) out.push_back(d.node);
  }
  return out;
}

class Finder {
 public:
  Finder(const Scenario& scenario, const Machine& machine, Diagnostics& problems)
      : scenario_(scenario), machine_(machine), problems_(problems) {}

  std::vector<FailureComponent> run() {
    const auto& sources = scenario_.failure.sources;
    for (std::size_t i = 0; i < sources.size(); ++i)
      add(sources[i], "failure.sources[" + std::to_string(i) + "]");
    return std::move(out_);
  }

 private:
  void add(const FailureSource& s, const std::string& path) {
    law_ = {};
    law_.shape = s.shape;
    if (s.mtbf_hours) {
      law_.mtbf_ms = *s.mtbf_hours * kMsPerHour;
      law_.scale_ms = law_.mtbf_ms / mean_of_unit_weibull(s.shape);
    }
    for (const double ms : s.at_ms) {
      if (const auto time = time_from_ms(ms)) law_.at_ps.push_back(time->ps);
    }
    sort_stably(law_.at_ps, std::less<>());
    law_.repair_ps = time_from_ms(s.repair_s * kMsPerS).value_or(kMaxRunTime).ps;
    Parts alone;
    alone.devices = s.parts.devices;
    for (const std::uint32_t d : devices_meant(alone, machine_, path, problems_))
      put("device " + machine_.devices[d].id, {d}, {}, path);
    add_nodes(s.parts.nodes, path);
    add_switches(s.parts.switches, path);
    add_cables(s.parts, path);
  }

  void add_nodes(const std::vector<std::string>& written, const std::string& path) {
    const std::vector<std::string> known = nodes_of(machine_);
    const bool all = is_all(written);
    for (std::size_t i = 0; i < (all ? known : written).size(); ++i) {
      const std::string& node = (all ? known : written)[i];
      if (!contains(known, node)) {
        problems_.push_back(error(Code::ReferenceNode, at(path, "nodes", i),
                                  "no device is on a node '" + node + "'"));
        continue;
      }
      std::vector<std::uint32_t> devices;
      std::vector<std::uint32_t> links;
      for (std::uint32_t d = 0; d < machine_.devices.size(); ++d) {
        if (node_of(machine_, d) == node) devices.push_back(d);
      }
      for (std::uint32_t l = 0; l < machine_.links.size(); ++l) {
        const Link& link = machine_.links[l];
        if (node_of(machine_, link.from.value) == node || node_of(machine_, link.to.value) == node)
          links.push_back(l);
      }
      put("node " + node, std::move(devices), std::move(links), path);
    }
  }

  void add_switches(const std::vector<std::string>& written, const std::string& path) {
    const auto& known = scenario_.hardware.switches;
    const bool all = is_all(written);
    for (std::size_t i = 0; !all && i < written.size(); ++i) {
      const auto same = [&](const SwitchSpec& s) { return s.id == written[i]; };
      if (std::none_of(known.begin(), known.end(), same))
        problems_.push_back(error(Code::ReferenceNode, at(path, "switches", i),
                                  "there is no switch '" + written[i] + "'",
                                  "hardware.switches names them and the nodes they join"));
    }
    for (const SwitchSpec& s : known) {
      if (!all && !contains(written, s.id)) continue;
      std::vector<std::uint32_t> links;
      for (std::uint32_t l = 0; l < machine_.links.size(); ++l) {
        const std::string& a = node_of(machine_, machine_.links[l].from.value);
        const std::string& b = node_of(machine_, machine_.links[l].to.value);
        if (a != b && contains(s.nodes, a) && contains(s.nodes, b)) links.push_back(l);
      }
      put("switch " + s.id, {}, std::move(links), path);
    }
  }

  // Both directions of a pair are one cable, named by the direction that the run uses first.
  void add_cables(const Parts& parts, const std::string& path) {
    const std::vector<std::uint32_t> meant = links_meant(parts, machine_, path, problems_);
    std::set<std::uint32_t> done;
    for (const std::uint32_t l : meant) {
      if (!done.insert(l).second) continue;
      const Link& link = machine_.links[l];
      std::vector<std::uint32_t> links{l};
      for (const std::uint32_t other : meant) {
        if (machine_.links[other].from == link.to && machine_.links[other].to == link.from &&
            done.insert(other).second)
          links.push_back(other);
      }
      // The name does not depend on which direction comes first.
      const auto [a, b] = std::minmax(machine_.device(link.from).id, machine_.device(link.to).id);
      put("link " + a + "-" + b, {}, std::move(links), path);
    }
  }

  void put(std::string name, std::vector<std::uint32_t> devices, std::vector<std::uint32_t> links,
           const std::string& path) {
    if (!names_.insert(name).second) {
      problems_.push_back(
          error(Code::KeyConflict, path, name + " fails by two laws", "one source for each part"));
      return;
    }
    FailureComponent c = law_;
    c.key = hash_text(name);
    c.name = std::move(name);
    c.devices = std::move(devices);
    c.links = std::move(links);
    out_.push_back(std::move(c));
  }

  const Scenario& scenario_;
  const Machine& machine_;
  Diagnostics& problems_;
  FailureComponent law_;
  std::set<std::string> names_;
  std::vector<FailureComponent> out_;
};

}  // namespace

double life_ms(const FailureComponent& component, std::uint64_t seed, std::uint32_t number) {
  const PhiloxBlock bits = draw({.seed = seed,
                                 .purpose = Purpose::Life,
                                 .entity = component.key,
                                 .microbatch = number,
                                 .number = 0});
  // In (0, 1]: the logarithm of 0 does not exist.
  const double u = 1 - uniform01(bits[0], bits[1]);
  const double unit = -det::log(u);
  if (unit <= 0) return 0;
  return component.scale_ms * (component.shape == 1 ? unit : det::pow(unit, 1 / component.shape));
}

std::vector<FailureComponent> components_of(const Scenario& scenario, const Machine& machine,
                                            Diagnostics& problems) {
  return Finder(scenario, machine, problems).run();
}

std::vector<std::uint32_t> devices_meant(const Parts& parts, const Machine& machine,
                                         const std::string& path, Diagnostics& problems) {
  std::vector<std::uint32_t> out;
  const auto take = [&](const std::vector<std::string>& ids, const char* key, Code code,
                        const auto& id_of) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      bool found = false;
      for (std::uint32_t d = 0; d < machine.devices.size(); ++d) {
        if (!is_all(ids) && id_of(machine.devices[d]) != ids[i]) continue;
        found = true;
        out.push_back(d);
      }
      if (!found)
        problems.push_back(
            error(code, at(path, key, i), "there is no '" + ids[i] + "' among the devices"));
    }
  };
  take(parts.devices, "devices", Code::ReferenceDevice, [](const Device& d) { return d.id; });
  take(parts.nodes, "nodes", Code::ReferenceNode, [](const Device& d) { return d.node; });
  return out;
}

std::vector<std::uint32_t> links_meant(const Parts& parts, const Machine& machine,
                                       const std::string& path, Diagnostics& problems) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = 0; parts.all_links && l < machine.links.size(); ++l) out.push_back(l);
  for (std::size_t i = 0; i < parts.links.size(); ++i) {
    const LinkEnds& ends = parts.links[i];
    const std::size_t before = out.size();
    for (std::uint32_t l = 0; l < machine.links.size(); ++l) {
      const std::string& from = machine.device(machine.links[l].from).id;
      const std::string& to = machine.device(machine.links[l].to).id;
      if ((from == ends.from && to == ends.to) || (from == ends.to && to == ends.from))
        out.push_back(l);
    }
    if (out.size() == before)
      problems.push_back(error(Code::LinkMissing, at(path, "links", i),
                               "nothing is sent between '" + ends.from + "' and '" + ends.to + "'",
                               "two devices whose stages are neighbours"));
  }
  return out;
}

}  // namespace sluice
