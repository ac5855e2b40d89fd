// The planner against trying everything, on costs made up here.
#include "search/hpp/planner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "dice.hpp"

using namespace sluice;
using namespace sluice::hpp;
using namespace sluice_test;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Two types: fast with much memory, slow with little. Costs grow with samples and fall with the
// tensor size, which costs something itself.
Problem small_problem(int fast, int slow, int devices, int layers, std::int64_t batch,
                      double slowness, double room) {
  Problem p;
  p.types = {{fast, devices}, {slow, devices}};
  p.layers = layers;
  p.global_batch = batch;
  p.micro_batches = {1, 2, 4};
  p.tensor_sizes = {1, 2};
  p.figures = [=](const StageShape& shape, std::int64_t samples, bool first, bool last) {
    StageFigures f;
    const double ms =
        static_cast<double>(samples) * (shape.type == 0 ? 1 : slowness) / shape.tensor +
        (shape.tensor > 1 ? 0.25 : 0);
    const double edges = (first ? 0.1 : 0) + (last ? 0.7 : 0);
    const double kept = static_cast<double>(samples) / shape.tensor;
    f.levels = {{ms + edges, ms, kept, kept / 4},
                {1.1 * ms + edges, 1.1 * ms, kept / 2, kept / 2},
                {1.3 * ms + edges, 1.3 * ms, kept / 10, kept}};
    f.resident = 0.5;
    f.resident_layer = 1.0 / shape.tensor;
    f.room = shape.type == 0 ? room : room / 2;
    return f;
  };
  p.hop_ms = [](const StageShape& from, const StageShape& to, bool same_node,
                std::int64_t samples) {
    return static_cast<double>(samples) * (same_node ? 0.01 : 0.1) /
           std::min(from.devices(), to.devices());
  };
  return p;
}

/// Every division of the nodes, every pipeline over each part, every cut of the layers, every split
/// of the batch.
class BruteForce {
 public:
  explicit BruteForce(const Problem& problem) : p_(problem), times_(problem) {}

  double best() {
    std::vector<NodeCounts> parts;
    NodeCounts left;
    for (const NodeType& t : p_.types) left.push_back(t.nodes);
    divide(left, parts);
    return best_;
  }

 private:
  void divide(const NodeCounts& left, std::vector<NodeCounts>& parts) {
    if (left[0] == 0 && left[1] == 0) return judge(parts);
    for (int a = 0; a <= left[0]; ++a) {
      for (int b = 0; b <= left[1]; ++b) {
        const NodeCounts part{a, b};
        if ((a == 0 && b == 0) || (!parts.empty() && part < parts.back())) continue;
        parts.push_back(part);
        divide({left[0] - a, left[1] - b}, parts);
        parts.pop_back();
      }
    }
  }

  void judge(const std::vector<NodeCounts>& parts) {
    std::vector<std::vector<Pipeline>> forms;
    for (const NodeCounts& part : parts) forms.push_back(all_forms(part));
    std::vector<const Pipeline*> chosen;
    choose(forms, chosen);
  }

  void choose(const std::vector<std::vector<Pipeline>>& forms,
              std::vector<const Pipeline*>& chosen) {
    if (chosen.size() == forms.size()) {
      best_ = std::min(best_, split(chosen, 0, p_.global_batch));
      return;
    }
    for (const Pipeline& p : forms[chosen.size()]) {
      chosen.push_back(&p);
      choose(forms, chosen);
      chosen.pop_back();
    }
  }

  static double split(const std::vector<const Pipeline*>& chosen, std::size_t r,
                      std::int64_t batch) {
    if (r == chosen.size()) return batch == 0 ? 0 : kNever;
    double best = kNever;
    for (std::int64_t n = 0; n * chosen[r]->micro_batch <= batch; ++n) {
      best = std::min(best, std::max(chosen[r]->time_ms(n),
                                     split(chosen, r + 1, batch - n * chosen[r]->micro_batch)));
    }
    return best;
  }

  // Those that another beats in both its times, at the same microbatch, change nothing.
  std::vector<Pipeline> all_forms(const NodeCounts& part) {
    std::vector<Pipeline> out;
    for (const std::int64_t m : p_.micro_batches) {
      for (const bool turned : {false, true}) {
        if (turned && (part[0] == 0 || part[1] == 0)) continue;
        const int order[2] = {turned ? 1 : 0, turned ? 0 : 1};
        std::vector<StageShape> stages;
        std::vector<bool> same_node;
        sizes(part, order, 0, m, stages, same_node, out);
      }
    }
    std::vector<Pipeline> kept;
    for (const Pipeline& p : out) {
      const bool beaten = std::any_of(out.begin(), out.end(), [&](const Pipeline& q) {
        return q.micro_batch == p.micro_batch && q.bottleneck_ms <= p.bottleneck_ms &&
               q.fill_ms <= p.fill_ms &&
               (q.bottleneck_ms < p.bottleneck_ms || q.fill_ms < p.fill_ms || &q < &p);
      });
      if (!beaten) kept.push_back(p);
    }
    return kept;
  }

  void sizes(const NodeCounts& part, const int* order, std::size_t at, std::int64_t m,
             std::vector<StageShape>& stages, std::vector<bool>& same_node,
             std::vector<Pipeline>& out) {
    if (at == 2) return cuts(m, stages, same_node, {}, p_.layers, out);
    const int type = order[at];
    const int devices = p_.types[static_cast<std::size_t>(type)].devices;
    const int all = part[static_cast<std::size_t>(type)] * devices;
    if (all == 0) return sizes(part, order, at + 1, m, stages, same_node, out);
    for (int g = 1; g <= all; g *= 2) {
      if (all % g != 0) continue;
      for (const int t : p_.tensor_sizes) {
        if (t > devices || g % t != 0 || m % (g / t) != 0) continue;
        const std::size_t before = stages.size();
        for (int s = 0; s < all / g; ++s) {
          stages.push_back({type, t, g / t});
          same_node.push_back(s > 0 && s * g / devices == (s - 1) * g / devices);
        }
        sizes(part, order, at + 1, m, stages, same_node, out);
        stages.resize(before);
        same_node.resize(before);
      }
    }
  }

  void cuts(std::int64_t m, const std::vector<StageShape>& stages,
            const std::vector<bool>& same_node, const std::vector<int>& layers, int left,
            std::vector<Pipeline>& out) {
    if (layers.size() == stages.size()) {
      if (left == 0) add(m, stages, same_node, layers, out);
      return;
    }
    for (int n = 1; n <= left; ++n) {
      std::vector<int> more = layers;
      more.push_back(n);
      cuts(m, stages, same_node, more, left - n, out);
    }
  }

  void add(std::int64_t m, const std::vector<StageShape>& stages,
           const std::vector<bool>& same_node, const std::vector<int>& layers,
           std::vector<Pipeline>& out) {
    Pipeline p;
    p.micro_batch = m;
    const auto all = static_cast<int>(stages.size());
    const auto most = static_cast<int>(std::min<std::int64_t>(p_.layers, p_.global_batch / m));
    for (int s = 0; s < all; ++s) {
      const auto i = static_cast<std::size_t>(s);
      const StageTime time =
          stage_time(times_.figures(stages[i], m, s == 0, s + 1 == all), layers[i],
                     std::min(all - s, most), p_.recompute, p_.bounded);
      if (time.ms == kNever) return;
      p.bottleneck_ms = std::max(p.bottleneck_ms, time.ms);
      p.fill_ms += time.ms;
      if (s > 0) p.fill_ms += 2 * p_.hop_ms(stages[i - 1], stages[i], same_node[i], m);
    }
    out.push_back(p);
  }

  const Problem& p_;
  StageTimes times_;
  double best_ = kNever;
};

double found(const Problem& problem, PlannerOptions options = {}) {
  Planner planner(problem, options, nullptr);
  while (!planner.step(3)) {
  }
  return planner.plans().empty() ? kNever : planner.plans().front().ms;
}

PlannerCounts counts(int nodes, PlannerOptions options) {
  Problem p = small_problem(nodes, nodes, 1, 16, 64, 2, 1e9);
  p.most_pipelines = 64;
  Planner planner(p, options, nullptr);
  while (!planner.step(100)) {
  }
  return planner.counts();
}

}  // namespace

TEST_SUITE("search/hpp") {
  TEST_CASE("E2: as good as trying everything, up to 2 + 2 nodes") {
    Dice dice(5);
    for (int i = 0; i < 40; ++i) {
      const int devices = dice.roll(1, 2);
      const Problem p = small_problem(dice.roll(1, 2), dice.roll(0, devices == 1 ? 2 : 1), devices,
                                      dice.roll(4, 6), 4 * dice.roll(1, 3),
                                      1 + 0.5 * dice.roll(0, 4), dice.roll(6, 20));
      const double best = BruteForce(p).best();
      const double ours = found(p);
      CAPTURE(i);
      if (best == kNever) {
        CHECK(ours == kNever);
        continue;
      }
      CHECK(ours == doctest::Approx(best).epsilon(1e-9));
    }
  }

  TEST_CASE("the four that make it fast change no plan; tolerance costs at most itself") {
    Dice dice(9);
    for (int i = 0; i < 20; ++i) {
      const Problem p = small_problem(dice.roll(1, 3), dice.roll(1, 3), 2, 12, 32,
                                      1 + 0.25 * dice.roll(0, 6), dice.roll(8, 40));
      const double best = found(p);
      for (int without = 0; without < 4; ++without) {
        PlannerOptions o;
        o.cache = without != 0;
        o.skip = without != 1;
        o.order = without != 2;
        o.fast_fill = without != 3;
        // Both fills find the least maximum; what fills the pipeline apart from it may differ.
        if (without == 3) {
          CHECK(found(p, o) >= best * (1 - 1e-12));
        } else {
          CHECK(found(p, o) == best);
        }
      }
      for (const double tolerance : {1.01, 1.05, 1.2}) {
        PlannerOptions o;
        o.tolerance = tolerance;
        CHECK(found(p, o) <= tolerance * best);
      }
    }
  }

  TEST_CASE("divisions and pipelines are as many as counted by hand") {
    // Multisets of node vectors that sum to (N, N), and the pipelines they are made of.
    CHECK(counts(2, {}).configurations == 9);
    CHECK(counts(2, {}).templates == 8);
    CHECK(counts(4, {}).configurations == 109);
    CHECK(counts(4, {}).templates == 24);
    PlannerOptions plain;
    plain.cache = plain.skip = plain.order = false;
    // Once to bound each and once to look at it.
    CHECK(counts(2, plain).templates == 2 * 22);
    CHECK(counts(4, plain).templates == 2 * 434);
    CHECK(counts(8, {}).configurations == 8406);
    CHECK(counts(8, {}).templates == 80);
  }

  TEST_CASE("step(1) n times equals step(n)") {
    const Problem p = small_problem(2, 2, 2, 8, 32, 1.5, 14);
    Planner a(p, {}, nullptr);
    Planner b(p, {}, nullptr);
    while (!a.step(1)) {
    }
    while (!b.step(1'000'000)) {
    }
    CHECK(a.plans().front().ms == b.plans().front().ms);
    CHECK(a.done() == a.total());
  }

  TEST_CASE("too many divisions: nodes go in groups, all of them in use") {
    Problem p = small_problem(32, 32, 8, 80, 1024, 1.5, 1e9);
    Planner planner(p, {}, nullptr);
    CHECK(planner.counts().configurations <= 50'000);
    CHECK(planner.group() == std::vector<int>{4, 4});
  }
}
