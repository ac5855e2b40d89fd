// Every number HOPS prints for a scenario, reproduced under `physics: hops`.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/run.hpp"
#include "files.hpp"
#include "support.hpp"

using namespace sluice;
using sluice_test::read_csv;
using sluice_test::read_text;
using sluice_test::source_path;

namespace {

/// Fields of one case, as "utilization/per_stage/0".
using Fields = std::map<std::string, double>;

std::map<std::string, Fields> golden() {
  std::map<std::string, Fields> out;
  for (const auto& row : read_csv(source_path("tests/data/hops/summaries.csv"))) {
    out[row.at(0)][row.at(1)] = std::stod(row.at(2));
  }
  return out;
}

double field(const nlohmann::json& summary, const std::string& path) {
  if (path.starts_with("phase/")) {
    const std::size_t cut = path.find('/', 6);
    for (const auto& phase : summary["phase_breakdown"]) {
      if (phase["stage"] == std::stoi(path.substr(6, cut - 6)) &&
          phase["phase"] == path.substr(cut + 1)) {
        return phase["total_ms"];
      }
    }
    return NAN;
  }
  const nlohmann::json* at = &summary;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string key = path.substr(begin, end - begin);
    if (!at->contains(key)) return NAN;
    at = &(*at)[key];
    begin = end + 1;
  }
  return at->is_number() ? at->get<double>() : NAN;
}

void check_fields(const Run& run, const Fields& expected) {
  const nlohmann::json summary = nlohmann::json::parse(run.summary_json());
  for (const auto& entry : expected) {
    const std::string& path = entry.first;
    const double value = entry.second;
    INFO(path);
    CHECK(std::fabs(field(summary, path) - value) <= 1e-6 * std::fmax(std::fabs(value), 1e-9));
  }
}

const std::vector<Setting> kHops{{"simulation.physics", "hops"}};

/// Devices of a scenario and the deterministic links HOPS has between them with jitter off: an
/// override for each pair, with the locality penalty of its preset worked in. Figures:
/// specification of HOPS, section 2.
std::string jitter_free_links(const Scenario& s) {
  struct Preset {
    double gbps;
    double latency_us;
    double scale;
  };
  const std::map<std::string, Preset> presets{{"nvlink", {4800, 1.0, 1.0}},
                                              {"pcie", {256, 2.5, 1.05}},
                                              {"infiniband", {200, 5.0, 1.2}},
                                              {"ethernet", {100, 15.0, 1.4}}};
  std::string out = "[";
  for (const DeviceSpec& a : s.hardware.devices) {
    for (const DeviceSpec& b : s.hardware.devices) {
      if (a.id == b.id) continue;
      const HardwareSection& h = s.hardware;
      const std::string& name = a.node != b.node ? h.cross_node
                                : a.socket == b.socket
                                    ? (h.same_socket.empty() ? h.same_node : h.same_socket)
                                    : h.same_node;
      const Preset& p = presets.at(name);
      char text[200];
      std::snprintf(text, sizeof text,
                    "{src: %s, dst: %s, bandwidth_gbps: %.17g, latency_us: %.17g},", a.id.c_str(),
                    b.id.c_str(), p.gbps / p.scale, p.latency_us * p.scale);
      out += text;
    }
  }
  return out + "]";
}

}  // namespace

TEST_SUITE("api/golden_hops") {
  TEST_CASE("the small cases: every field to 1e-6") {
    const auto all = golden();
    int cases = 0;
    for (const auto& entry : all) {
      const std::string& name = entry.first;
      const Fields& fields = entry.second;
      if (!name.starts_with("micro/")) continue;
      INFO(name);
      const auto run = simulate(read_text(source_path("tests/data/hops/" + name + ".yaml")), kHops);
      REQUIRE(run.ok());
      check_fields(*run.value(), fields);
      ++cases;
    }
    CHECK(cases == 49);
  }
  TEST_CASE("the five configurations as they stand in the peer's files, links without jitter") {
    const auto folder = sluice_test::reference_folder("SLUICE_GOLDEN");
    if (!folder) return;
    const auto all = golden();
    // The peer decides in the middle of an instant in the other two, dgx_h100 and single_node_4gpu.
    for (const char* name : {"default", "dgx_a100", "analytical_example"}) {
      INFO(name);
      const std::string file = *folder + "/hops/configs/" + name + ".detlinks.yaml";
      const auto run = simulate(read_text(file), kHops);
      REQUIRE(run.ok());
      check_fields(*run.value(), all.at("configs/" + std::string(name)));
    }
  }
  TEST_CASE("the five configurations written anew give the same numbers") {
    const auto all = golden();
    for (const char* name : {"default", "dgx_a100", "analytical_example"}) {
      INFO(name);
      const std::string text =
          read_text(source_path("examples/hops/" + std::string(name) + ".yaml"));
      const auto loaded = load_scenario(text);
      REQUIRE(loaded.ok());
      const Scenario& s = loaded.value().scenario;
      std::vector<Setting> settings{{"overrides.links", jitter_free_links(s)}};
      for (std::size_t i = 0; i < s.pipeline.stages.size(); ++i) {
        const ComputeSpec& c = s.pipeline.stages[i].compute;
        const std::string path = "pipeline.stages[" + std::to_string(i) + "].compute.";
        if (c.mode == ComputeMode::Analytical) settings.push_back({path + "jitter", "0"});
        if (c.mode == ComputeMode::Explicit && !c.distribution.fixed())
          settings.push_back({path + "distribution.std", "0"});
      }
      if (s.optimizer.update && !s.optimizer.update->fixed())
        settings.push_back({"optimizer.update.std", "0"});
      const auto run = simulate(text, settings);
      REQUIRE(run.ok());
      check_fields(*run.value(), all.at("configs/" + std::string(name)));
    }
  }
  TEST_CASE(
      "ties decided in two phases: dgx_h100 and single_node_4gpu keep their work and differ in "
      "waiting only") {
    const auto folder = sluice_test::reference_folder("SLUICE_GOLDEN");
    if (!folder) return;
    const auto all = golden();
    for (const char* name : {"dgx_h100", "single_node_4gpu"}) {
      INFO(name);
      const auto run =
          simulate(read_text(*folder + "/hops/configs/" + name + ".detlinks.yaml"), kHops);
      REQUIRE(run.ok());
      const Fields& fields = all.at("configs/" + std::string(name));
      const nlohmann::json summary = nlohmann::json::parse(run.value()->summary_json());
      for (const char* path :
           {"time_ms/compute_ms", "completed_microbatches", "optimizer/weight_update_time_ms"}) {
        CHECK(field(summary, path) == doctest::Approx(fields.at(path)).epsilon(1e-6));
      }
      CHECK(field(summary, "time_ms/makespan_ms") <= fields.at("time_ms/makespan_ms"));
    }
  }
}
