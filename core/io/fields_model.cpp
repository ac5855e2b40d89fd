// `pipeline.model`: the shape of what is trained.
#include <array>
#include <span>

#include "io/fields.hpp"

namespace sluice {
namespace {

constexpr Range kSize{1, 1e7, false};
constexpr Range kCount{0, 1e7, false};

constexpr std::array<Word, 2> kAttentions{{
    {"flash", "fused: scores stay on the chip"},
    {"unfused", "scores travel through memory"},
}};

template <class Shape>
struct SizeKey {
  std::string_view name;
  std::string_view doc;
  std::int64_t Shape::*member;
  bool required = false;
  /// May be 0 when it is not.
  bool may_be_zero = false;
};

constexpr std::array<SizeKey<ExpertShape>, 5> kExperts{{
    {"count", "Experts of a layer", &ExpertShape::count, true},
    {"active", "Experts that a token uses", &ExpertShape::active, true},
    {"shared", "Experts that every token uses beside them", &ExpertShape::shared, false, true},
    {"ffn_dim", "Inner size of one expert", &ExpertShape::ffn_dim, true},
    {"dense_layers", "Leading layers with a dense block in their place", &ExpertShape::dense_layers,
     false, true},
}};
constexpr std::array<SizeKey<LatentShape>, 5> kLatent{{
    {"q_lora", "Rank of the compressed queries; 0: not compressed", &LatentShape::q_lora, false,
     true},
    {"kv_lora", "Rank of the compressed keys and values", &LatentShape::kv_lora, true},
    {"nope", "Part of a head without rotary positions", &LatentShape::nope, true},
    {"rope", "Part of a head with rotary positions", &LatentShape::rope, false, true},
    {"v", "Size of a head's value", &LatentShape::v, true},
}};
constexpr std::array<SizeKey<StateSpaceShape>, 3> kStateSpace{{
    {"state", "State size", &StateSpaceShape::state},
    {"head_dim", "Size of a head", &StateSpaceShape::head_dim},
    {"groups", "Groups that share input and output matrices", &StateSpaceShape::groups},
}};
/// Printed when they are not 0.
constexpr std::array<SizeKey<ModelShape>, 6> kOptional{{
    {"layers", "Layers; those of the stages add up to it", &ModelShape::layers},
    {"ffn_dim", "Inner size of the feed-forward block; default 4 hidden_dim", &ModelShape::ffn_dim},
    {"heads", "Attention heads", &ModelShape::heads},
    {"kv_heads", "Heads of keys and values; default as heads", &ModelShape::kv_heads},
    {"head_dim", "Size of a head; default hidden_dim / heads", &ModelShape::head_dim},
    {"learned_positions", "Rows of a learned position table", &ModelShape::learned_positions},
}};

template <class Shape>
void describe_sizes(Fields& f, Shape& shape, std::span<const SizeKey<Shape>> keys) {
  for (const SizeKey<Shape>& key : keys) {
    f.integer({.name = key.name, .doc = key.doc, .required = key.required}, shape.*key.member,
              key.may_be_zero ? kCount : kSize);
  }
}

}  // namespace

void describe_model(Fields& f, ModelShape& m) {
  f.present(!m.preset.empty());
  f.text({.name = "preset", .doc = "Shape that gives what is not written here"}, m.preset);
  const bool alone = m.preset.empty() && !f.documenting();
  f.integer({.name = "hidden_dim", .doc = "Hidden size", .required = alone}, m.hidden_dim, kSize);
  f.integer({.name = "seq_len", .doc = "Tokens in one sample", .required = alone}, m.seq_len,
            kSize);
  f.integer({.name = "vocab_size", .doc = "Rows of the output layer"}, m.vocab_size, kSize);
  for (const SizeKey<ModelShape>& key : kOptional) {
    f.present(m.*key.member != 0);
    f.integer({.name = key.name, .doc = key.doc}, m.*key.member, kSize);
  }
  f.boolean({.name = "gated", .doc = "Three matrices in the feed-forward block"}, m.gated);
  f.boolean({.name = "tied_embeddings", .doc = "Embedding and output layer are one matrix"},
            m.tied_embeddings);
  f.choice_of({.name = "attention", .doc = "How attention is computed"}, m.attention, kAttentions);
  f.present(m.experts != ExpertShape{});
  f.object({.name = "experts", .doc = "Feed-forward blocks of which a token uses a few"},
           [&](Fields& g) {
             describe_sizes<ExpertShape>(g, m.experts, kExperts);
             constexpr Range kImbalance{1, 1000, false};
             g.number(
                 {.name = "imbalance",
                  .doc = "With expert_parallel: tokens of the most loaded device over the mean"},
                 m.experts.imbalance, kImbalance);
           });
  f.present(m.mla != LatentShape{});
  f.object({.name = "mla", .doc = "Multi-head latent attention"},
           [&](Fields& g) { describe_sizes<LatentShape>(g, m.mla, kLatent); });
  f.present(m.ssm != StateSpaceShape{} || m.layer_kinds.find('M') != std::string::npos);
  f.object({.name = "ssm", .doc = "Mamba-2 layers; their inner size is 2 hidden_dim"},
           [&](Fields& g) { describe_sizes<StateSpaceShape>(g, m.ssm, kStateSpace); });
  f.optional_text({.name = "layer_kinds",
                   .doc = "A letter a layer: T attention and feed-forward (default), M Mamba-2, "
                          "- feed-forward, * attention"},
                  m.layer_kinds);
}

}  // namespace sluice
