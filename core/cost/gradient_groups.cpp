#include "cost/gradient_groups.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "base/stable_order.hpp"
#include "cost/layers.hpp"
#include "cost/transformer.hpp"

namespace sluice {
namespace {

using Members = std::vector<std::uint32_t>;

// The stages that hold a layer: one of each pipeline that has it, of a tied embedding both ends.
std::vector<const GradientLayout::Stage*> owners(const GradientLayout& layout, int layer) {
  std::vector<const GradientLayout::Stage*> out;
  for (const auto& pipeline : layout.pipelines) {
    for (const GradientLayout::Stage& s : pipeline) {
      if ((s.from <= layer && layer < s.from + s.layers) || s.also == layer) out.push_back(&s);
    }
  }
  return out;
}

/// Buffers by who sums them.
class Buckets {
 public:
  void add(Members members, double parameters, int collectives, int layer) {
    if (members.size() < 2) return;
    sort_stably(members, std::less<>());
    GradientGroup& g = by_members_[members];
    if (g.members.empty()) {
      g.members = std::move(members);
      g.collectives = 0;
      g.first_layer = layer;
    }
    g.parameters += parameters;
    g.collectives += collectives;
    g.first_layer = std::min(g.first_layer, layer);
  }

  // `fused`: each buffer in one collective.
  std::vector<GradientGroup> take(bool fused) {
    std::vector<GradientGroup> out;
    for (auto& [members, group] : by_members_) {
      if (fused) group.collectives = 1;
      out.push_back(std::move(group));
    }
    sort_stably(out, [](const GradientGroup& a, const GradientGroup& b) {
      return a.first_layer > b.first_layer;
    });
    return out;
  }

 private:
  std::map<Members, GradientGroup> by_members_;
};

std::vector<GradientGroup> blocks(const GradientLayout& layout, int collectives, bool fused) {
  Buckets buckets;
  for (int layer = static_cast<int>(layout.parameters.size()) - 1; layer >= 0; --layer) {
    const auto held = owners(layout, layer);
    std::int64_t whole = 1;
    for (const auto* s : held) whole = std::lcm(whole, static_cast<std::int64_t>(s->tensor));
    // Cuts as numerators over `whole`.
    std::vector<std::int64_t> cuts;
    for (const auto* s : held) {
      for (std::int64_t k = 0; k <= s->tensor; ++k) cuts.push_back(k * (whole / s->tensor));
    }
    sort_stably(cuts, std::less<>());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      Members members;
      for (const auto* s : held) {
        const auto rank = static_cast<std::size_t>(cuts[c] * s->tensor / whole);
        for (std::size_t copy = 0; copy < static_cast<std::size_t>(s->data); ++copy)
          members.push_back(s->devices[copy * static_cast<std::size_t>(s->tensor) + rank]);
      }
      const double share = static_cast<double>(cuts[c + 1] - cuts[c]) / static_cast<double>(whole);
      buckets.add(std::move(members), share * layout.parameters[static_cast<std::size_t>(layer)],
                  collectives, layer);
    }
  }
  return buckets.take(fused);
}

// Connected parts of the graph in which all devices that hold anything of a layer are neighbours;
// each sums all layers of its part.
std::vector<GradientGroup> components(const GradientLayout& layout) {
  std::map<std::uint32_t, std::uint32_t> parent;
  const auto find = [&](std::uint32_t d) {
    parent.emplace(d, d);
    while (parent[d] != d) d = parent[d];
    return d;
  };
  const auto layers = static_cast<int>(layout.parameters.size());
  std::vector<std::uint32_t> holder(layout.parameters.size());
  for (int layer = 0; layer < layers; ++layer) {
    const auto held = owners(layout, layer);
    if (held.empty()) continue;
    const std::uint32_t first = held.front()->devices.front();
    holder[static_cast<std::size_t>(layer)] = first;
    for (const auto* s : held) {
      for (const std::uint32_t d : s->devices) {
        const std::uint32_t a = find(first);
        const std::uint32_t b = find(d);
        parent[std::max(a, b)] = std::min(a, b);
      }
    }
  }
  std::map<std::uint32_t, GradientGroup> out;
  for (int layer = layers - 1; layer >= 0; --layer) {
    GradientGroup& g = out[find(holder[static_cast<std::size_t>(layer)])];
    g.parameters += layout.parameters[static_cast<std::size_t>(layer)];
    g.first_layer = layer;
  }
  for (const auto& [d, unused] : parent) out[find(d)].members.push_back(d);
  std::vector<GradientGroup> groups;
  for (auto& [root, group] : out) {
    if (group.members.size() > 1) groups.push_back(std::move(group));
  }
  sort_stably(groups, [](const GradientGroup& a, const GradientGroup& b) {
    return a.first_layer > b.first_layer;
  });
  return groups;
}

std::vector<GradientGroup> aligned(const GradientLayout& layout) {
  // By stage number and rank within a group.
  std::map<std::pair<std::size_t, int>, GradientGroup> out;
  for (const auto& pipeline : layout.pipelines) {
    for (std::size_t i = 0; i < pipeline.size(); ++i) {
      const GradientLayout::Stage& s = pipeline[i];
      double held = 0;
      for (int l = s.from; l < s.from + s.layers; ++l)
        held += layout.parameters[static_cast<std::size_t>(l)] / s.tensor;
      for (std::size_t d = 0; d < s.devices.size(); ++d) {
        GradientGroup& g = out[{i, static_cast<int>(d) % s.tensor}];
        g.members.push_back(s.devices[d]);
        g.parameters = std::max(g.parameters, held);
        g.first_layer = s.from;
      }
    }
  }
  std::vector<GradientGroup> groups;
  for (auto& [key, group] : out) {
    sort_stably(group.members, std::less<>());
    if (group.members.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

std::vector<GradientGroup> gradient_groups(const GradientLayout& layout, GradientSync sync,
                                           int tensors) {
  switch (sync) {
    case GradientSync::None:
      return {};
    case GradientSync::Block:
      return blocks(layout, 1, true);
    case GradientSync::Tensor:
      return blocks(layout, tensors, false);
    case GradientSync::Device:
      return components(layout);
    case GradientSync::Aligned:
      return aligned(layout);
  }
  return {};
}

GradientLayout gradient_layout(const ModelShape& model,
                               const std::vector<std::vector<HeldLayers>>& pipelines) {
  GradientLayout out;
  out.parameters.push_back(embedding_parameters(model, true, false));
  for (const LayerRun& run : layer_runs(model, 0, model.layers)) {
    out.parameters.insert(out.parameters.end(), static_cast<std::size_t>(run.count),
                          run.layer.weights + run.layer.small_parameters);
  }
  // A tied output layer is the embedding once more.
  out.parameters.push_back(model.tied_embeddings ? embedding_parameters(model, true, true) -
                                                       embedding_parameters(model, true, false)
                                                 : embedding_parameters(model, false, true));
  std::uint32_t device = 0;
  for (const std::vector<HeldLayers>& held : pipelines) {
    std::vector<GradientLayout::Stage> stages;
    // Behind the embedding.
    int layer = 1;
    for (std::size_t s = 0; s < held.size(); ++s) {
      const bool first = s == 0;
      const bool last = s + 1 == held.size();
      GradientLayout::Stage stage;
      stage.from = first ? 0 : layer;
      stage.layers = held[s].layers + (first ? 1 : 0) + (last ? 1 : 0);
      stage.tensor = held[s].tensor;
      stage.data = held[s].data;
      if (last && !first && model.tied_embeddings) stage.also = 0;
      for (int d = 0; d < stage.tensor * stage.data; ++d) stage.devices.push_back(device++);
      layer += held[s].layers;
      stages.push_back(std::move(stage));
    }
    out.pipelines.push_back(std::move(stages));
  }
  return out;
}

std::vector<GradientSum> gradient_sums(
    const GradientLayout& layout, GradientSync sync, int tensors, double bytes_per_parameter,
    const std::function<std::optional<Network::Reach>(const std::vector<std::uint32_t>&)>& reach) {
  std::vector<std::uint32_t> rank_of;
  std::uint32_t rank = 0;
  for (const auto& stages : layout.pipelines) {
    for (const auto& s : stages) rank_of.insert(rank_of.end(), s.devices.size(), rank++);
  }
  std::vector<GradientSum> out;
  std::vector<std::vector<GradientGroup>> groups_of;
  for (const GradientGroup& g : gradient_groups(layout, sync, tensors)) {
    std::vector<std::uint32_t> ranks;
    for (const std::uint32_t d : g.members) {
      if (ranks.empty() || ranks.back() != rank_of[d]) ranks.push_back(rank_of[d]);
    }
    std::size_t at = 0;
    while (at < out.size() && out[at].ranks != ranks) ++at;
    if (at == out.size()) {
      out.push_back({.ranks = std::move(ranks), .ms = 0});
      groups_of.emplace_back();
    }
    groups_of[at].push_back(g);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::optional<Network::Reach> ring = reach(out[i].ranks);
    if (!ring) continue;
    out[i].ms = gradient_sync_ms(groups_of[i], bytes_per_parameter,
                                 [&](const GradientGroup& g, double bytes) {
                                   return all_reduce_ms(bytes, static_cast<int>(g.members.size()),
                                                        ring->bandwidth, ring->latency);
                                 });
  }
  std::erase_if(out, [](const GradientSum& s) { return s.ms == 0; });
  return out;
}

int tensors_of(const ModelShape& model) {
  constexpr int kGpt = 12;
  constexpr int kGated = 9;
  return model.gated ? kGated : kGpt;
}

double gradient_sync_ms(
    const std::vector<GradientGroup>& groups, double bytes_per_parameter,
    const std::function<double(const GradientGroup& group, double bytes)>& all_reduce) {
  std::map<std::uint32_t, double> busy;
  double most = 0;
  for (const GradientGroup& g : groups) {
    const double bytes = bytes_per_parameter * g.parameters / g.collectives;
    const double ms = g.collectives * all_reduce(g, bytes);
    for (const std::uint32_t d : g.members) most = std::max(most, busy[d] += ms);
  }
  return most;
}

}  // namespace sluice
