// Layers by hand, and every preset's size against what its authors publish.
#include "cost/layers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "api/load.hpp"
#include "files.hpp"
#include "io/yaml_document.hpp"
#include "support.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

ModelShape gated_gqa() {
  ModelShape m;
  m.hidden_dim = 4096;
  m.ffn_dim = 14336;
  m.gated = true;
  m.heads = 32;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.seq_len = 8192;
  m.layers = 32;
  return complete(m);
}

// DeepSeek-V3's layers.
ModelShape latent() {
  ModelShape m;
  m.hidden_dim = 7168;
  m.ffn_dim = 18432;
  m.gated = true;
  m.heads = 128;
  m.seq_len = 4096;
  m.layers = 61;
  m.experts = {.count = 256, .active = 8, .shared = 1, .ffn_dim = 2048, .dense_layers = 3};
  m.mla = {.q_lora = 1536, .kv_lora = 512, .nope = 128, .rope = 64, .v = 128};
  return complete(m);
}

// Nemotron-H 8B's sublayers.
ModelShape hybrid(const char* kinds) {
  ModelShape m;
  m.hidden_dim = 4096;
  m.ffn_dim = 21504;
  m.heads = 32;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.seq_len = 8192;
  m.layer_kinds = kinds;
  return complete(m);
}

// As a scenario's `pipeline.model` gives it.
ModelShape shape_of(const std::string& keys) {
  const auto loaded = load_scenario(
      "simulation: {microbatches: 1}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n  model: {" +
      keys +
      "}\n  partition: uniform\n  stages: [{device: a}]\nhardware:\n  devices: [{id: a, gpu: h100, "
      "node: n, socket: 0}]\n");
  if (!loaded.ok()) FAIL(loaded.diagnostics().front().message);
  return complete(*loaded.value().scenario.pipeline.model);
}

Layer layer(const ModelShape& m, std::int64_t index = 0) {
  return layer_runs(m, index, 1).front().layer;
}

}  // namespace

TEST_SUITE("cost/layers") {
  TEST_CASE(
      "a GPT layer: 12 h^2 and 13 h parameters, 10 h whole and 24 h divided, 5 a S of scores") {
    ModelShape m;
    m.hidden_dim = 100;
    m.heads = 4;
    m.seq_len = 10;
    const Layer l = layer(complete(m));
    CHECK(l.weights == 12e4);
    CHECK(l.token_weights == 12e4);
    CHECK(l.small_parameters == 1300);
    CHECK(l.mixing_flops == 4 * 10 * 100);
    CHECK(l.whole_bytes == 1000);
    CHECK(l.split_bytes == 2400);
    CHECK(l.score_bytes == 5 * 4 * 10);
    CHECK(l.mask_bytes == 200);
    CHECK(l.input_bytes == 200);
  }
  TEST_CASE("a gated layer with grouped queries") {
    const Layer l = layer(gated_gqa());
    // Llama 3 8B publishes 218,112,000 a layer.
    CHECK(l.weights == 4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14336);
    CHECK(l.weights + l.small_parameters == 218112000);
    // Two norms keep input and output; queries, keys, values, context; gate, up and product.
    CHECK(l.whole_bytes == 8 * 4096);
    CHECK(l.split_bytes == 2 * (4096 + 1024 + 1024 + 4096) + 2 * 3 * 14336);
    // Without dropout attention keeps what softmax gives.
    CHECK(l.score_bytes == 2 * 32 * 8192);
    CHECK(l.mask_bytes == 0);
  }
  TEST_CASE("experts: a token uses some, the router sees all; leading layers are dense") {
    ModelShape m = gated_gqa();
    m.experts = {.count = 8, .active = 2, .shared = 1, .ffn_dim = 1000, .dense_layers = 2};
    const double attention = 4096 * (2 * 4096 + 2 * 1024);
    const double expert = 3 * 4096 * 1000;
    CHECK(layer(m, 1) == layer(gated_gqa()));
    const Layer l = layer(m, 2);
    CHECK(l.weights == attention + 9 * expert + 8 * 4096);
    CHECK(l.token_weights == attention + 3 * expert + 8 * 4096);
    // Two copies come and go, three blocks work, the router has eight fp32 figures.
    CHECK(l.whole_bytes == 8 * 4096 + 2 * 4 * 4096 + 4 * 8);
    CHECK(l.split_bytes == 2 * (2 * 4096 + 2 * 1024) + 3 * 6 * 1000);
    const std::vector<LayerRun> runs = layer_runs(m, 0, 32);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].count == 2);
    CHECK(runs[1].count == 30);
    CHECK(layer_runs(m, 5, 7).size() == 1);
  }
  TEST_CASE("latent attention: DeepSeek-V3") {
    const Layer l = layer(latent());
    const double attention =
        7168.0 * 1536 + 1536.0 * 128 * 192 + 7168.0 * 576 + 512.0 * 128 * 256 + 128.0 * 128 * 7168;
    CHECK(attention == 187105280);
    CHECK(l.weights == attention + 3.0 * 7168 * 18432);
    CHECK(l.small_parameters == 2 * 7168 + 1536 + 512);
    CHECK(l.mixing_flops == 2.0 * 4096 * 128 * (192 + 128));
    // Compressed queries and values before and behind their norms, and the shared rotary part.
    CHECK(l.whole_bytes == 8 * 7168 + 2 * (2 * 1536 + 2 * 512 + 64));
    CHECK(l.split_bytes == 2 * 128 * (192 + 192 + 128 + 128) + 6 * 18432);
    const Layer expert = layer(latent(), 3);
    CHECK(expert.weights == attention + 257 * 3.0 * 7168 * 2048 + 256 * 7168);
    CHECK(expert.token_weights == attention + 9 * 3.0 * 7168 * 2048 + 256 * 7168);
  }
  TEST_CASE("Mamba-2: h (2 d + 2 g n + d / 64) + d h") {
    const ModelShape m = hybrid("M-M*");
    const double d = 2 * 4096;
    const Layer l = layer(m);
    CHECK(l.weights == 4096 * (2 * d + 2 * 8 * 128 + d / 64) + d * 4096);
    CHECK(l.weights == 109576192);
    CHECK(l.small_parameters == 4096);
    CHECK(l.mixing_flops == 6 * d * 128);
    CHECK(l.whole_bytes == 4 * 4096);
    CHECK(l.split_bytes == 2 * ((2 * d + 2048 + 128) + (d + 2048) + d + d));
    CHECK(l.heads == 0);
    CHECK(m.layers == 4);
  }
  TEST_CASE("every preset has the parameters that are published, and uses as many a token") {
    const auto file = parse_yaml(read_text(source_path("presets/models.yaml")));
    REQUIRE(file.ok());
    const auto& models = file.value()->find("models")->items;
    CHECK(models.size() == 46);
    for (const YamlTree& preset : models) {
      const std::string name = preset->find("name")->scalar;
      CAPTURE(name);
      const ModelSize size = model_size(shape_of("preset: " + name + ", seq_len: 4096"));
      const bool dense = preset->find("experts") == nullptr && preset->find("ssm") == nullptr;
      const auto near = [&](double parameters, const std::string& published, double share) {
        // A figure of two digits is known to half of the last.
        const std::size_t point = published.find('.');
        const double last =
            point == std::string::npos ? 1 : std::pow(0.1, published.size() - point - 1);
        const double figure = std::stod(published);
        const double off = std::abs(parameters / 1e9 - figure);
        CAPTURE(parameters);
        CAPTURE(published);
        CHECK(off <= std::max(share * figure, last / 2));
      };
      near(size.parameters, preset->find("params_B")->scalar, dense ? 0.005 : 0.01);
      if (const YamlNode* active = preset->find("active_B")) {
        near(size.active, active->scalar, 0.02);
      } else {
        CHECK(size.active == size.parameters);
      }
    }
  }
  TEST_CASE("to the parameter, where it is published and there are no biases (model cards)") {
    const auto parameters = [](const std::string& name) {
      return model_size(shape_of("preset: " + name + ", seq_len: 4096")).parameters;
    };
    CHECK(parameters("llama-2-7b") == 6738415616);
    CHECK(parameters("llama-3-8b") == 8030261248);
    CHECK(parameters("llama-3.1-8b") == 8030261248);
    CHECK(parameters("llama-3-70b") == 70553706496);
    CHECK(parameters("mistral-7b") == 7241732096);
    CHECK(parameters("mixtral-8x7b") == 46702792704);
    const ModelSize v3 = model_size(shape_of("preset: deepseek-v3, seq_len: 4096"));
    CHECK(v3.parameters / 1e9 == doctest::Approx(671.0).epsilon(1e-4));
    CHECK(v3.active / 1e9 == doctest::Approx(37.6).epsilon(2e-3));
  }
  TEST_CASE("sublayers: a block each, by their letters") {
    const ModelShape m = hybrid("M--*");
    const std::vector<LayerRun> runs = layer_runs(m, 0, 4);
    REQUIRE(runs.size() == 3);
    CHECK(runs[1].count == 2);
    CHECK(runs[1].layer.weights == 2.0 * 4096 * 21504);
    CHECK(runs[1].layer.blocks == 1);
    CHECK(runs[2].layer.weights == 4096.0 * (2 * 4096 + 2 * 1024));
    CHECK(runs[2].layer.mixing_flops == 4.0 * 8192 * 4096);
    CHECK(layer_runs(m, 1, 2).size() == 1);
  }
}
