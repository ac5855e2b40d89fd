// `recompute`: a preset, a list of operators, or for one stage in how many of its layers each.
#include <algorithm>
#include <array>
#include <vector>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr std::array<Word, 3> kPresets{{
    {"none", "everything is kept"},
    {"selective", "attention scores are made again"},
    {"full", "whole layers are: only their inputs are kept"},
}};
/// In the order of Operator.
constexpr std::array<Word, kOperators> kWords{{
    {"LN1", "the norm before attention"},
    {"Qkv", "queries, keys and values"},
    {"Sco", "attention scores"},
    {"AS", "their softmax"},
    {"AD", "its dropout"},
    {"ADm", "the dropout's mask"},
    {"Proj", "what attention hands to its output matrix"},
    {"LN2", "the norm before the feed-forward block"},
    {"FC1", "the first feed-forward matrix"},
    {"Gelu", "the non-linearity behind it"},
}};

std::vector<std::size_t> operators_of(const Recompute& r) {
  std::vector<std::size_t> out;
  for (std::size_t o = 0; o < kOperators; ++o) {
    if (r.layers[o] > 0) out.push_back(o);
  }
  return out;
}

void describe_list(Fields& f, const Key& key, Recompute& r) {
  std::vector<std::size_t> operators = operators_of(r);
  f.list_of<std::size_t>(key, operators, [](Fields& g, std::size_t& o) {
    g.choice({.name = "", .doc = "An operator whose output is made again"}, o, kWords);
  });
  r = {.kind = Recompute::Kind::Operators, .layers = {}};
  for (const std::size_t o : operators) r.layers[o] = Recompute::kAllLayers;
}

void describe_counts(Fields& f, Recompute& r) {
  constexpr Range kLayers{0, Recompute::kAllLayers, false};
  r.kind = Recompute::Kind::Operators;
  for (std::size_t o = 0; o < kOperators; ++o) {
    f.present(r.layers[o] > 0);
    f.integer({.name = kWords[o].text, .doc = kWords[o].doc}, r.layers[o], kLayers);
  }
}

// `counted`: the form that names layers is one of them.
bool describe_forms(Fields& f, std::string_view doc, bool counted, Recompute& r) {
  const Key key{.name = "recompute", .doc = doc};
  const Key item{.name = "", .doc = doc};
  const bool single = r.kind == Recompute::Kind::Operators;
  const bool all = std::all_of(r.layers.begin(), r.layers.end(),
                               [](std::int64_t n) { return n == 0 || n == Recompute::kAllLayers; });
  const std::array<Form, 3> forms{
      {{Shape::Scalar,
        [&](Fields& g) {
          std::size_t preset = single ? 0 : static_cast<std::size_t>(r.kind);
          g.choice(item, preset, kPresets);
          r = {.kind = static_cast<Recompute::Kind>(preset), .layers = {}};
        }},
       {Shape::List, [&](Fields& g) { describe_list(g, item, r); }},
       {Shape::Map, [&](Fields& g) { describe_counts(g, r); }}}};
  const std::size_t current = !single ? 0 : all ? 1 : 2;
  return f.one_of(key, current, std::span(forms).first(counted ? 3 : 2));
}

}  // namespace

void describe_recompute(Fields& f, Recompute& recompute) {
  Recompute r = recompute;
  describe_forms(f,
                 "With `layers`: what a backward computes again in the place of keeping it: none, "
                 "selective, full, or a list of operators",
                 false, r);
  if (!f.documenting()) recompute = r;
}

void describe_stage_recompute(Fields& f, std::optional<Recompute>& recompute) {
  Recompute r = recompute.value_or(Recompute{});
  f.present(recompute.has_value());
  const bool found = describe_forms(
      f, "The same for this stage; {AS: 5} makes an operator again in five of its layers", true, r);
  if (found && !f.documenting()) recompute = r;
}

}  // namespace sluice
