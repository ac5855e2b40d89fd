// How much of a device's peak a matrix product reaches, by its size.
#pragma once

namespace sluice {

/// Share of a product's tiles that keep all multiprocessors busy: a result of `rows` x `columns` is
/// made in tiles of 128 x 256, as many at a time as there are multiprocessors, and the last wave is
/// rarely full. 1 where the number of multiprocessors is unknown (0). Source: NVIDIA, Matrix
/// Multiplication Background User's Guide, wave quantization.
double wave_share(double rows, double columns, int multiprocessors);

}  // namespace sluice
