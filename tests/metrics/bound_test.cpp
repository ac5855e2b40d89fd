// The lower bound: never above the best that any order can do, found by trying all.
#include "metrics/bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/run.hpp"
#include "base/hash.hpp"
#include "scenario_text.hpp"

using namespace sluice;

namespace {

/// Small pipelines by brute force. Every rank does its operations one after the other; an optimal
/// plan never starts one later than it could in its own order, so it is enough to try, whenever a
/// rank is to run something, each operation whose input is known.
class BruteForce {
 public:
  BruteForce(std::vector<int> rank_of_stage, int ranks, int m, std::vector<int> f,
             std::vector<int> b, int c)
      : rank_(std::move(rank_of_stage)),
        m_(m),
        f_(std::move(f)),
        b_(std::move(b)),
        c_(c),
        free_(static_cast<std::size_t>(ranks), 0),
        end_f_(rank_.size() * static_cast<std::size_t>(m), -1),
        end_b_(end_f_) {}

  int best() {
    search(0, 0);
    return best_;
  }

 private:
  [[nodiscard]] std::size_t cell(int s, int j) const {
    return static_cast<std::size_t>(s) * static_cast<std::size_t>(m_) + static_cast<std::size_t>(j);
  }
  [[nodiscard]] int hop(int a, int b) const {
    return rank_[static_cast<std::size_t>(a)] == rank_[static_cast<std::size_t>(b)] ? 0 : c_;
  }

  // Chooses the next operation anywhere; starts never go back in time, which loses no schedule:
  // operations can always be listed by their start.
  void search(std::size_t done, int last_start) {
    const int stages = static_cast<int>(rank_.size());
    if (done == 2 * end_f_.size()) {
      best_ = std::min(best_, *std::max_element(free_.begin(), free_.end()));
      return;
    }
    for (int s = 0; s < stages; ++s) {
      // Microbatches of one stage and direction are alike: in order loses nothing either.
      for (const bool forward : {true, false}) {
        auto& ends = forward ? end_f_ : end_b_;
        int j = 0;
        while (j < m_ && ends[cell(s, j)] >= 0) ++j;
        if (j == m_) continue;
        int ready = 0;
        if (forward && s > 0) {
          ready = end_f_[cell(s - 1, j)];
          if (ready < 0) continue;
          ready += hop(s - 1, s);
        } else if (!forward) {
          if (end_f_[cell(s, j)] < 0) continue;
          ready = end_f_[cell(s, j)];
          if (s + 1 < stages) {
            if (end_b_[cell(s + 1, j)] < 0) continue;
            ready = std::max(ready, end_b_[cell(s + 1, j)] + hop(s + 1, s));
          }
        }
        const auto r = static_cast<std::size_t>(rank_[static_cast<std::size_t>(s)]);
        const int start = std::max(ready, free_[r]);
        if (start < last_start || start >= best_) continue;
        const int before = free_[r];
        const int end = start + (forward ? f_ : b_)[static_cast<std::size_t>(s)];
        free_[r] = ends[cell(s, j)] = end;
        search(done + 1, start);
        free_[r] = before;
        ends[cell(s, j)] = -1;
      }
    }
  }

  std::vector<int> rank_;
  int m_;
  std::vector<int> f_;
  std::vector<int> b_;
  int c_;
  std::vector<int> free_;
  std::vector<int> end_f_;
  std::vector<int> end_b_;
  int best_ = 1'000'000;
};

}  // namespace

TEST_SUITE("metrics/bound") {
  TEST_CASE(
      "by hand: the last rank of 1F1B waits for two forwards and is followed by two backwards") {
    sluice_test::ScenarioText s;
    s.stages = {{1, 2, 0}, {1, 2, 0}, {2, 5, 0}};
    s.microbatches = 4;
    s.latency_us = 500;
    s.simulation = "  transfers: latency\n";
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    // Way in 1 + .5 + 1 + .5, work 4 x 7, way out .5 + 2 + .5 + 2.
    REQUIRE(run.value()->summary().lower_bound.has_value());
    CHECK(to_ms(*run.value()->summary().lower_bound) == doctest::Approx(3 + 28 + 5));
  }

  TEST_CASE("by hand: with a split backward the last operation may be a W, which nobody awaits") {
    sluice_test::ScenarioText s;
    s.schedule = "zb_h1";
    s.stages = sluice_test::equal_stages(4);
    s.simulation = "  transfers: latency\n";
    const auto run = simulate(s.text());
    REQUIRE(run.ok());
    CHECK(to_ms(*run.value()->summary().lower_bound) == doctest::Approx(3 + 8 * 3));
    CHECK(*gap_pct(run.value()->summary().makespan, run.value()->summary().lower_bound) ==
          doctest::Approx(0));
  }

  TEST_CASE("never above the brute-force optimum, for p and m up to 3") {
    std::uint64_t seed = 11;
    const auto pick = [&](int low, int high) {
      return low + static_cast<int>(mix64(++seed) % static_cast<std::uint64_t>(high - low + 1));
    };
    int tight = 0;
    int tried = 0;
    for (int p = 1; p <= 3; ++p) {
      for (int m = 1; m <= 3; ++m) {
        for (int repeat = 0; repeat < 6; ++repeat) {
          sluice_test::ScenarioText s;
          s.microbatches = m;
          s.simulation = "  transfers: latency\n";
          const int c = pick(0, 2);
          s.latency_us = c * 1000;
          std::vector<int> f;
          std::vector<int> b;
          std::vector<int> ranks;
          for (int r = 0; r < p; ++r) {
            f.push_back(pick(1, 3));
            b.push_back(pick(1, 5));
            ranks.push_back(r);
            s.stages.push_back({static_cast<double>(f.back()), static_cast<double>(b.back()), 0});
          }
          const auto run = simulate(s.text());
          REQUIRE(run.ok());
          const int best = BruteForce(ranks, p, m, f, b, c).best();
          const double bound = to_ms(*run.value()->summary().lower_bound);
          INFO("p=" << p << " m=" << m << " c=" << c);
          CHECK(bound <= best + 1e-9);
          CHECK(to_ms(run.value()->summary().makespan) >= best - 1e-9);
          tight += bound > best - 1e-9 ? 1 : 0;
          ++tried;
        }
      }
    }
    // It is a bound, but not an idle one.
    CHECK(tight * 2 > tried);
  }

  TEST_CASE("never above the optimum with two chunks a rank, loop or V") {
    std::uint64_t seed = 3;
    for (int repeat = 0; repeat < 8; ++repeat) {
      const bool loop = repeat % 2 == 0;
      const int m = 1 + repeat % 2;
      const int c = static_cast<int>(mix64(++seed) % 3);
      sluice_test::ScenarioText s;
      s.schedule = loop ? "{name: looped_bfs}" : "{name: hanayo}";
      s.microbatches = m;
      s.latency_us = c * 1000;
      s.simulation = "  transfers: latency\n";
      std::vector<int> f;
      std::vector<int> b;
      for (int r = 0; r < 2; ++r) {
        const int forward = 1 + static_cast<int>(mix64(++seed) % 3);
        const int backward = 1 + static_cast<int>(mix64(++seed) % 4);
        s.stages.push_back({2.0 * forward, 2.0 * backward, 0});
        f.push_back(forward);
        b.push_back(backward);
      }
      const std::vector<int> ranks =
          loop ? std::vector<int>{0, 1, 0, 1} : std::vector<int>{0, 1, 1, 0};
      std::vector<int> stage_f;
      std::vector<int> stage_b;
      for (const int r : ranks) {
        stage_f.push_back(f[static_cast<std::size_t>(r)]);
        stage_b.push_back(b[static_cast<std::size_t>(r)]);
      }
      const auto run = simulate(s.text());
      REQUIRE(run.ok());
      const int best = BruteForce(ranks, 2, m, stage_f, stage_b, c).best();
      CHECK(to_ms(*run.value()->summary().lower_bound) <= best + 1e-9);
      CHECK(to_ms(run.value()->summary().makespan) >= best - 1e-9);
    }
  }

  TEST_CASE("there is none when durations are drawn") {
    sluice_test::ScenarioText s;
    s.stages = sluice_test::equal_stages(2);
    std::string text = s.text();
    const std::string given = "distribution: 1}";
    text.replace(text.find(given), given.size(),
                 "distribution: {type: normal, mean: 1, std: 0.1}}");
    const auto run = simulate(text);
    REQUIRE(run.ok());
    CHECK_FALSE(run.value()->summary().lower_bound.has_value());
  }
}
