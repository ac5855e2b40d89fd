#include "cost/layers.hpp"

#include <cstddef>
#include <string>

namespace sluice {
namespace {

/// Bytes of a kept value, and of one in fp32.
constexpr double kHalf = 2;
constexpr double kFull = 4;
/// Of an attention score, with dropout: softmax and dropout output and the mask; without: softmax
/// output.
constexpr double kScoreWithDropout = 5;
constexpr double kScore = 2;
constexpr char kTransformer = 'T';
constexpr char kMamba = 'M';
constexpr char kFeedForward = '-';
constexpr char kAttention = '*';

double wide(std::int64_t n) {
  return static_cast<double>(n);
}

/// Adds block by block what a layer is made of.
class LayerBuilder {
 public:
  LayerBuilder(const ModelShape& model, std::int64_t index)
      : m_(model),
        h_(wide(model.hidden_dim)),
        kind_(model.layer_kinds.empty() ? kTransformer
                                        : model.layer_kinds[static_cast<std::size_t>(index)]),
        gpt_(kind_ == kTransformer && !model.gated),
        experts_(model.experts.count > 0 && index >= model.experts.dense_layers) {}

  Layer build() {
    out_.input_bytes = kHalf * h_;
    Layer::Parts until_attention;
    if (kind_ == kTransformer || kind_ == kAttention) {
      begin_block();
      if (m_.mla.kv_lora > 0) {
        add_latent_attention();
      } else {
        add_attention();
      }
      out_.attention_working = out_.working;
      until_attention = {out_.whole_bytes, out_.split_bytes};
    }
    if (kind_ == kMamba) {
      begin_block();
      add_mamba();
    }
    if (kind_ == kTransformer || kind_ == kFeedForward) {
      begin_block();
      if (experts_) {
        add_experts();
      } else {
        add_feed_forward(wide(m_.ffn_dim), 1, 1);
      }
    }
    if (out_.heads > 0) {
      out_.behind_attention = {out_.whole_bytes - until_attention.whole_bytes,
                               out_.split_bytes - until_attention.split_bytes};
    }
    return out_;
  }

 private:
  // A norm, which keeps its input, and what it hands to the block.
  void begin_block() {
    ++out_.blocks;
    out_.small_parameters += gpt_ ? 2 * h_ : h_;
    out_.whole_bytes += 2 * kHalf * h_;
    if (!gpt_) return;
    out_.whole_bytes += h_;
    out_.mask_bytes += h_;
  }

  void add_weights(double n) {
    out_.weights += n;
    out_.token_weights += n;
  }

  // A matrix that begins a block, and the one that ends it.
  void add_pair(double out_of_first, double into_last, double count = 1, double token_share = 1) {
    out_.matrices.push_back({h_, out_of_first, Matrix::Side::Out, count, token_share});
    out_.matrices.push_back({into_last, h_, Matrix::Side::In, count, token_share});
  }

  // Gradients of `inner` values at their fullest, and of what goes around the block; a dropout's
  // mask is done with by then.
  void set_working(double inner) { out_.working = {kHalf * h_ - (gpt_ ? h_ : 0), kHalf * inner}; }

  void widen(double inner) {
    if (inner > out_.inner) out_.inner = inner;
  }

  // `query` and `value`: sizes of a head's part in the first and in the second product.
  void add_products(double query, double value) {
    const double heads = wide(m_.heads);
    out_.mixing_flops += 2 * wide(m_.seq_len) * heads * (query + value);
    out_.score_bytes += (gpt_ ? kScoreWithDropout : kScore) * heads * wide(m_.seq_len);
    out_.heads += heads;
  }

  void add_attention() {
    const double q = wide(m_.heads * m_.head_dim);
    const double kv = wide(m_.kv_heads * m_.head_dim);
    add_weights(h_ * (2 * q + 2 * kv));
    add_pair(q + 2 * kv, q);
    if (gpt_) out_.small_parameters += q + 2 * kv + h_;
    // Queries, keys, values, and the context that the last matrix takes.
    out_.split_bytes += kHalf * (2 * q + 2 * kv);
    out_.queries_bytes = kHalf * (q + 2 * kv);
    out_.context_bytes = kHalf * q;
    out_.queries_weights = h_ * (q + 2 * kv);
    set_working(q + 2 * kv);
    widen(q + 2 * kv);
    add_products(wide(m_.head_dim), wide(m_.head_dim));
  }

  void add_latent_attention() {
    const LatentShape& l = m_.mla;
    const double heads = wide(m_.heads);
    const double query = heads * wide(l.nope + l.rope);
    const double value = heads * wide(l.v);
    const double q_in = l.q_lora > 0 ? wide(l.q_lora) : h_;
    add_weights(h_ * wide(l.q_lora) + q_in * query + h_ * wide(l.kv_lora + l.rope) +
                wide(l.kv_lora) * heads * wide(l.nope + l.v) + value * h_);
    using Side = Matrix::Side;
    out_.matrices.push_back({q_in, query, Side::Out});
    out_.matrices.push_back({wide(l.kv_lora), heads * wide(l.nope + l.v), Side::Out});
    out_.matrices.push_back({value, h_, Side::In});
    // The compressed values have norms of their own.
    out_.small_parameters += wide(l.q_lora) + wide(l.kv_lora);
    out_.whole_bytes += kHalf * (2 * wide(l.q_lora) + 2 * wide(l.kv_lora) + wide(l.rope));
    out_.split_bytes += kHalf * (2 * query + 2 * value);
    out_.queries_bytes = kHalf * (2 * query + value);
    out_.context_bytes = kHalf * value;
    out_.queries_weights = q_in * query + wide(l.kv_lora) * heads * wide(l.nope + l.v);
    set_working(2 * query + value);
    widen(2 * query + value);
    add_products(wide(l.nope + l.rope), wide(l.v));
  }

  // `count` blocks of which a token uses `active`.
  void add_feed_forward(double ffn, double count, double active) {
    const double matrices = m_.gated ? 3 : 2;
    add_pair((matrices - 1) * ffn, ffn, count, active / count);
    out_.weights += count * matrices * h_ * ffn;
    out_.token_weights += active * matrices * h_ * ffn;
    if (gpt_) out_.small_parameters += count * (ffn + h_);
    out_.split_bytes += active * matrices * kHalf * ffn;
    out_.inner_bytes = active * (matrices - 1) * kHalf * ffn;
    out_.nonlinear_bytes = active * kHalf * ffn;
    out_.inner_weights = active * (matrices - 1) * h_ * ffn;
    set_working(active * (matrices - 1) * ffn);
    widen(active * ffn);
  }

  void add_experts() {
    const ExpertShape& e = m_.experts;
    const double active = wide(e.active);
    add_feed_forward(wide(e.ffn_dim), wide(e.count + e.shared), wide(e.active + e.shared));
    // The router, and the copies that active experts receive and return.
    add_weights(h_ * wide(e.count));
    out_.whole_bytes += kFull * wide(e.count) + active * 2 * kHalf * h_;
    const double matrices = m_.gated ? 3 : 2;
    out_.routed_weights = wide(e.count) * matrices * h_ * wide(e.ffn_dim);
    out_.routed_token_weights = active * matrices * h_ * wide(e.ffn_dim);
    out_.routed_split_bytes = active * matrices * kHalf * wide(e.ffn_dim);
    out_.routed_copy_bytes = active * kHalf * h_;
  }

  void add_mamba() {
    const double inner = 2 * h_;
    const double states = 2 * wide(m_.ssm.groups * m_.ssm.state);
    const double steps = inner / wide(m_.ssm.head_dim);
    add_weights(h_ * (2 * inner + states + steps) + inner * h_);
    add_pair(2 * inner + states + steps, inner);
    out_.mixing_flops += 6 * inner * wide(m_.ssm.state);
    // What comes in, behind the convolution, from the scan and into the last matrix.
    out_.split_bytes += kHalf * ((2 * inner + states + steps) + (inner + states) + inner + inner);
    set_working(2 * inner + states + steps);
    widen(2 * inner + states + steps);
  }

  const ModelShape& m_;
  double h_;
  char kind_;
  /// LayerNorm, biases and dropout.
  bool gpt_;
  bool experts_;
  Layer out_;
};

// A GPT's last norm is left out: the constants of its times were fitted without.
double final_norm(const ModelShape& model) {
  return model.gated || !model.layer_kinds.empty() ? wide(model.hidden_dim) : 0;
}

}  // namespace

ModelShape complete(ModelShape m) {
  if (m.ffn_dim == 0) m.ffn_dim = 4 * m.hidden_dim;
  if (m.kv_heads == 0) m.kv_heads = m.heads;
  if (m.head_dim == 0 && m.heads > 0) m.head_dim = m.hidden_dim / m.heads;
  if (m.layers == 0) m.layers = static_cast<std::int64_t>(m.layer_kinds.size());
  return m;
}

Diagnostics check_shape(const ModelShape& m) {
  Diagnostics out;
  const auto refuse = [&](Code code, const char* key, const std::string& message,
                          const char* hint = "") {
    out.push_back(error(code, std::string("pipeline.model.") + key, message, hint));
  };
  const std::string& kinds = m.layer_kinds;
  const auto letters = static_cast<std::int64_t>(kinds.size());
  const std::size_t wrong = kinds.find_first_not_of("TM-*");
  if (wrong != std::string::npos) {
    refuse(Code::ValueChoice, "layer_kinds",
           "no kind of layer has the letter " + kinds.substr(wrong, 1),
           "T transformer layer, M Mamba-2, - feed-forward, * attention");
  } else if (letters != 0 && letters != m.layers) {
    refuse(Code::ValueRange, "layer_kinds",
           std::to_string(letters) + " letters for " + std::to_string(m.layers) + " layers");
  }
  if (m.experts.active > m.experts.count)
    refuse(Code::ValueRange, "experts.active", "more experts are active than there are");
  const bool attends = letters == 0 || kinds.find_first_of("T*") != std::string::npos;
  if (attends && m.heads == 0) {
    refuse(Code::KeyMissing, "heads",
           "`heads` is missing: times follow from it where stages name their layers");
  }
  return out;
}

std::vector<LayerRun> layer_runs(const ModelShape& model, std::int64_t first, std::int64_t count) {
  std::vector<LayerRun> runs;
  if (count <= 0) return runs;
  // Beyond the dense layers of a model without letters all are equal.
  const std::int64_t alike = model.layer_kinds.empty() ? model.experts.dense_layers : first + count;
  for (std::int64_t i = first; i < first + count; ++i) {
    const Layer layer = LayerBuilder(model, i).build();
    const int times = i >= alike ? static_cast<int>(first + count - i) : 1;
    if (!runs.empty() && runs.back().layer == layer) {
      runs.back().count += times;
    } else {
      runs.push_back({layer, times});
    }
    i += times - 1;
  }
  return runs;
}

double embedding_parameters(const ModelShape& model, bool first, bool last) {
  const double h = wide(model.hidden_dim);
  const double matrix = h * wide(model.vocab_size);
  double parameters = first ? matrix + wide(model.learned_positions) * h : 0;
  // A tied output layer on a stage of its own is a second copy.
  if (last && !(first && model.tied_embeddings)) parameters += matrix;
  return last ? parameters + final_norm(model) : parameters;
}

ModelSize model_size(const ModelShape& model) {
  ModelSize size;
  size.parameters = size.active = embedding_parameters(model, true, true);
  for (const LayerRun& run : layer_runs(model, 0, model.layers)) {
    const Layer& layer = run.layer;
    size.parameters += run.count * (layer.weights + layer.small_parameters);
    size.active += run.count * (layer.token_weights + layer.small_parameters);
  }
  return size;
}

}  // namespace sluice
