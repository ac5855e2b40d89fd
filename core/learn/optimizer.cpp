#include "learn/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "learn/kernels.hpp"

namespace sluice::learn {
namespace {

void need(Diagnostics& out, bool fine, const char* path, const char* what) {
  if (!fine) out.push_back(error(Code::ValueRange, path, what));
}

}  // namespace

Diagnostics check(const OptimizerSpec& spec) {
  // Written so that what is not a number fails.
  const auto up_to = [](double x, double most) { return x >= 0 && x <= most; };
  const auto share = [](double x) { return x >= 0 && x < 1; };
  Diagnostics out;
  need(out, up_to(spec.rate, 1e6), "optimizer.rate", "the rate must be from 0 to a million");
  need(out, up_to(spec.vector_rate, 1e6), "optimizer.vector_rate",
       "the rate must be from 0 to a million");
  need(out, share(spec.momentum), "optimizer.momentum", "momentum must be at least 0 and below 1");
  need(out, share(spec.beta1), "optimizer.beta1", "beta1 must be at least 0 and below 1");
  need(out, share(spec.beta2), "optimizer.beta2", "beta2 must be at least 0 and below 1");
  need(out, spec.epsilon > 0 && spec.epsilon <= 1, "optimizer.epsilon",
       "epsilon must be above 0 and at most 1");
  need(out, up_to(spec.decay, 1e6), "optimizer.decay", "decay must be from 0 to a million");
  need(out, up_to(spec.clip, 1e30), "optimizer.clip", "a norm to clip at must not be negative");
  return out;
}

Optimizer::Optimizer(const OptimizerSpec& spec, const StageParameters& parameters)
    : spec_(spec),
      parts_(parameters.parts()),
      size_(parameters.size()),
      orthogonalizer_(parts_, spec.kind == OptimizerKind::Muon) {
  if (spec.kind != OptimizerKind::Sgd) mean_.resize(size_);
  if (spec.kind != OptimizerKind::Sgd && spec.kind != OptimizerKind::Momentum)
    square_.resize(size_);
}

void Optimizer::step(double scale, float* gradient, const float* weights, float* next,
                     float* change) {
  if (spec_.clip > 0) clip(gradient);
  power1_ *= spec_.beta1;
  power2_ *= spec_.beta2;
  const double rate = spec_.rate * scale;
  switch (spec_.kind) {
    case OptimizerKind::Sgd: {
      const auto r = static_cast<float>(rate);
      for (std::size_t k = 0; k < size_; ++k) change[k] = r * gradient[k];
      break;
    }
    case OptimizerKind::Momentum:
      momentum(gradient, 0, size_, rate, change);
      break;
    case OptimizerKind::AdamW:
    case OptimizerKind::NAdam:
      adam(gradient, 0, size_, rate, change);
      break;
    case OptimizerKind::Muon:
      muon(gradient, scale, change);
      break;
  }
  const auto keep = static_cast<float>(1.0 - rate * spec_.decay);
  for (std::size_t k = 0; k < size_; ++k) next[k] = weights[k] * keep - change[k];
}

void Optimizer::clip(float* gradient) const {
  const float norm = std::sqrt(dot(gradient, gradient, size_));
  const auto most = static_cast<float>(spec_.clip);
  if (!(norm > most)) return;
  const float factor = most / norm;
  for (std::size_t k = 0; k < size_; ++k) gradient[k] *= factor;
}

void Optimizer::momentum(const float* gradient, std::size_t begin, std::size_t end, double rate,
                         float* change) {
  const auto mu = static_cast<float>(spec_.momentum);
  const auto r = static_cast<float>(rate);
  for (std::size_t k = begin; k < end; ++k) {
    mean_[k] = mu * mean_[k] + gradient[k];
    change[k] = r * mean_[k];
  }
}

void Optimizer::adam(const float* gradient, std::size_t begin, std::size_t end, double rate,
                     float* change) {
  const auto beta1 = static_cast<float>(spec_.beta1);
  const auto beta2 = static_cast<float>(spec_.beta2);
  const auto fresh1 = static_cast<float>(1.0 - spec_.beta1);
  const auto fresh2 = static_cast<float>(1.0 - spec_.beta2);
  const auto epsilon = static_cast<float>(spec_.epsilon);
  const auto r = static_cast<float>(rate);
  const auto unbias2 = static_cast<float>(1.0 / (1.0 - power2_));
  // AdamW: m / (1 - beta1^t). NAdam: beta1 m / (1 - beta1^(t+1)) + (1 - beta1) g / (1 - beta1^t).
  const bool ahead = spec_.kind == OptimizerKind::NAdam;
  const double now = 1.0 / (1.0 - power1_);
  const auto of_mean =
      static_cast<float>(ahead ? spec_.beta1 / (1.0 - power1_ * spec_.beta1) : now);
  const auto of_gradient = static_cast<float>(ahead ? (1.0 - spec_.beta1) * now : 0.0);
  for (std::size_t k = begin; k < end; ++k) {
    const float g = gradient[k];
    mean_[k] = beta1 * mean_[k] + fresh1 * g;
    square_[k] = beta2 * square_[k] + fresh2 * g * g;
    const float direction = of_mean * mean_[k] + of_gradient * g;
    change[k] = r * (direction / (std::sqrt(square_[k] * unbias2) + epsilon));
  }
}

void Optimizer::muon(const float* gradient, double scale, float* change) {
  const auto mu = static_cast<float>(spec_.momentum);
  for (const Parameter& part : parts_) {
    const std::size_t begin = part.offset;
    const std::size_t end = begin + part.size();
    if (part.kind != ParameterKind::Matrix) {
      adam(gradient, begin, end, spec_.vector_rate * scale, change);
      continue;
    }
    for (std::size_t k = begin; k < end; ++k) {
      mean_[k] = mu * mean_[k] + gradient[k];
      change[k] = gradient[k] + mu * mean_[k];
    }
    orthogonalizer_(change + begin, part.rows, part.columns);
    const double aspect =
        std::max(1.0, static_cast<double>(part.columns) / static_cast<double>(part.rows));
    const auto r = static_cast<float>(spec_.rate * scale * std::sqrt(aspect));
    for (std::size_t k = begin; k < end; ++k) change[k] *= r;
  }
}

}  // namespace sluice::learn
