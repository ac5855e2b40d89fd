#include "cost/matmul.hpp"

#include <cmath>

namespace sluice {
namespace {

constexpr double kTileRows = 128;
constexpr double kTileColumns = 256;

}  // namespace

double wave_share(double rows, double columns, int multiprocessors) {
  if (multiprocessors == 0 || rows <= 0 || columns <= 0) return 1;
  const double tiles = std::ceil(rows / kTileRows) * std::ceil(columns / kTileColumns);
  const double filled = rows / kTileRows * (columns / kTileColumns);
  return filled / (std::ceil(tiles / multiprocessors) * multiprocessors);
}

}  // namespace sluice
