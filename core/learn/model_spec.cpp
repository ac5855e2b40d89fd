#include "learn/model_spec.hpp"

#include <string>

namespace sluice::learn {
namespace {

constexpr std::uint32_t kMostStages = 64;
constexpr std::uint32_t kMostWidth = 512;
constexpr std::uint32_t kMostBatch = 512;
constexpr std::uint32_t kMostContext = 256;

void range(Diagnostics& out, const char* path, std::uint32_t value, std::uint32_t most) {
  if (value >= 1 && value <= most) return;
  out.push_back(error(Code::ValueRange, path,
                      std::to_string(value) + " is not allowed here: a whole number from 1 to " +
                          std::to_string(most) + " is"));
}

}  // namespace

ModelSpec quadratic_model(double curvature, std::uint32_t width) {
  return {.kind = ModelKind::Quadratic,
          .stages = 1,
          .width = width,
          .batch = 1,
          .context = 1,
          .heads = 1,
          .curvature = curvature};
}

ModelSpec linear_model(std::uint32_t stages) {
  return {.kind = ModelKind::Linear,
          .stages = stages,
          .width = 16,
          .batch = 8,
          .context = 1,
          .heads = 1,
          .curvature = 1};
}

ModelSpec char_mlp_model(std::uint32_t stages) {
  ModelSpec spec;
  spec.stages = stages;
  return spec;
}

ModelSpec transformer_model(std::uint32_t stages) {
  return {.kind = ModelKind::Transformer,
          .stages = stages,
          .width = 64,
          .batch = 1,
          .context = 64,
          .heads = 4,
          .curvature = 1};
}

Diagnostics check(const ModelSpec& spec) {
  Diagnostics out;
  range(out, "model.stages", spec.stages, spec.kind == ModelKind::Quadratic ? 1 : kMostStages);
  range(out, "model.width", spec.width, kMostWidth);
  range(out, "model.batch", spec.batch, kMostBatch);
  range(out, "model.context", spec.context, kMostContext);
  range(out, "model.heads", spec.heads, kMostWidth);
  if (out.empty() && spec.width % spec.heads != 0) {
    out.push_back(error(Code::ValueRange, "model.heads",
                        std::to_string(spec.width) + " columns cannot be shared evenly among " +
                            std::to_string(spec.heads) + " heads"));
  }
  if (!(spec.curvature > 0 && spec.curvature < 1e6)) {
    out.push_back(error(Code::ValueRange, "model.curvature",
                        "the curvature must be above 0 and below a million"));
  }
  return out;
}

}  // namespace sluice::learn
