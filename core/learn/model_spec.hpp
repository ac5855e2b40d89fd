// Which model is trained, as a plain struct with the sizes of convergence.md's toys as defaults.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.hpp"

namespace sluice::learn {

enum class ModelKind : std::uint8_t {
  /// One stage; loss = curvature / 2 times the sum of squares of its weights, which begin at 1.
  Quadratic,
  /// A matrix a stage, taught by another such chain.
  Linear,
  /// x + relu(rms(x) A) B in each stage; the next of a few characters.
  CharMlp,
  /// A transformer block in each stage; the next character at each position.
  Transformer,
};

struct ModelSpec {
  ModelKind kind = ModelKind::CharMlp;
  std::uint32_t stages = 8;
  std::uint32_t width = 32;
  /// Samples a microbatch; a sample of the transformer is a whole context.
  std::uint32_t batch = 8;
  /// Characters that a prediction sees.
  std::uint32_t context = 4;
  std::uint32_t heads = 1;
  double curvature = 1;

  bool operator==(const ModelSpec&) const = default;
};

ModelSpec quadratic_model(double curvature, std::uint32_t width = 1);
ModelSpec linear_model(std::uint32_t stages);
ModelSpec char_mlp_model(std::uint32_t stages);
/// About 50,000 weights a stage; a microbatch is one sequence of 64 characters.
ModelSpec transformer_model(std::uint32_t stages);

/// What is wrong with it (value.range), with paths such as `model.width`; empty when it can be
/// built.
Diagnostics check(const ModelSpec& spec);

}  // namespace sluice::learn
