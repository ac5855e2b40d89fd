#include "metrics/economy.hpp"

#include <doctest/doctest.h>

#include <string>

#include "api/load.hpp"
#include "api/run.hpp"
#include "scenario_text.hpp"

using namespace sluice;
using sluice_test::ScenarioText;

namespace {

// 1F1B, p = 2, m = 4, F = 1, B = 2: makespan (m + p - 1) * 3 = 15 ms, 12 of work on each device.
std::string scenario(const std::string& first, const std::string& second,
                     const std::string& pipeline, const std::string& hardware) {
  ScenarioText s;
  s.stages = sluice_test::equal_stages(2);
  s.microbatches = 4;
  s.simulation = "  transfers: latency\n";
  std::string text = s.text();
  const auto put = [&](const std::string& behind, const std::string& what) {
    text.insert(text.find(behind) + behind.size(), what);
  };
  put("{id: d0, gpu: a100", first);
  put("{id: d1, gpu: a100", second);
  put("pipeline:\n", pipeline);
  put("hardware:\n", hardware);
  return text;
}

Economy economy_of(const std::string& text) {
  const auto loaded = load_scenario(text);
  const auto run = simulate(text);
  if (!loaded || !run) FAIL(text);
  return economy(loaded.value().program, loaded.value().costs, run.value()->summary());
}

constexpr const char* kTokens =
    "  micro_batch_size: 2\n"
    "  model: {hidden_dim: 64, seq_len: 500}\n";

}  // namespace

TEST_SUITE("metrics/economy") {
  TEST_CASE("energy: busy time at one power, the rest at the other, over all tokens") {
    const Economy e = economy_of(scenario(", power_W: 300, idle_power_W: 50",
                                          ", power_W: 200, idle_power_W: 100", kTokens, ""));
    // (12 * 300 + 3 * 50 + 12 * 200 + 3 * 100) / 15 = 430 W; 4 * 2 * 500 tokens in 15 ms.
    REQUIRE(e.power);
    CHECK(*e.power == doctest::Approx(430));
    CHECK(*e.energy_per_token == doctest::Approx(430 * 0.015 / 4000));
    CHECK_FALSE(e.price_per_hour);
    CHECK_FALSE(e.price_per_million_tokens);
  }
  TEST_CASE("without written power it is the preset's, and 0.3 of that while it waits") {
    const Economy e = economy_of(scenario("", "", kTokens, ""));
    CHECK(*e.power == doctest::Approx(2 * (0.8 * 400 + 0.2 * 120)));
  }
  TEST_CASE("price: devices by the hour, and electricity where it is paid beside them") {
    const Economy e = economy_of(scenario(", price_per_hour: 3, power_W: 500, idle_power_W: 500",
                                          ", price_per_hour: 1.5, power_W: 500, idle_power_W: 500",
                                          kTokens, "  price_per_kWh: 0.2\n"));
    // 4.5 an hour and 1 kW.
    CHECK(*e.price_per_hour == doctest::Approx(4.7));
    CHECK(*e.price_per_million_tokens == doctest::Approx(4.7 * 0.015 / 3600 / 4000 * 1e6));
  }
  TEST_CASE("tokens need a sequence length, energy the power of every device") {
    const Economy e = economy_of(scenario(", price_per_hour: 2", "", "", ""));
    CHECK(e.power);
    CHECK_FALSE(e.energy_per_token);
    CHECK(*e.price_per_hour == 2);
    CHECK_FALSE(e.price_per_million_tokens);
    std::string text = scenario("", "", kTokens, "");
    text.replace(text.find("gpu: a100"), 9, "gpu: tpu-v4");
    CHECK_FALSE(economy_of(text).power);
  }
}
