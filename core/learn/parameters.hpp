// What the weights of a stage consist of: parts of one flat array, each with the way it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "learn/draws.hpp"

namespace sluice::learn {

/// How an optimizer that looks at shapes treats a part: only a Matrix between hidden layers has one
/// that matters.
enum class ParameterKind : std::uint8_t { Matrix, Embedding, Vector };

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::Matrix;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// Weights begin as mean + spread times a standard normal.
  double mean = 0;
  double spread = 0;
  /// In the stage's weights; set when it is added.
  std::size_t offset = 0;

  [[nodiscard]] std::size_t size() const { return rows * columns; }
};

class StageParameters {
 public:
  /// Puts a part behind those there are; returns its offset.
  std::size_t add(Parameter parameter) {
    parameter.offset = size_;
    size_ += parameter.size();
    parts_.push_back(parameter);
    return parameter.offset;
  }
  [[nodiscard]] const std::vector<Parameter>& parts() const { return parts_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The weights that stage `stage` begins with: each a function of the seed, the stage, the part's
  /// name and its place in the part.
  template <class T>
  void initialise(std::uint64_t seed, std::uint32_t stage, T* weights) const {
    for (const Parameter& part : parts_) {
      const std::uint64_t entity = mix64(hash_text(part.name) + stage);
      for (std::size_t k = 0; k < part.size(); ++k) {
        const auto number = static_cast<std::uint32_t>(k);
        const double draw = part.spread == 0 ? 0 : normal(learning_draw(seed, entity, 0, number));
        weights[part.offset + k] = static_cast<T>(part.mean + part.spread * draw);
      }
    }
  }

 private:
  std::vector<Parameter> parts_;
  std::size_t size_ = 0;
};

}  // namespace sluice::learn
