#include "base/det_math.hpp"

#include <cmath>
#include <cstdint>

#include "base/compat.hpp"

namespace sluice::det {
namespace {

// ln 2 in two parts: k * kLn2High is exact for |k| < 2^20.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double kTwoPi = 6.283185307179586;
constexpr double kHalfLogTwoPi = 0.9189385332046727;

constexpr std::uint64_t kMantissaBits = 0x000FFFFFFFFFFFFFULL;
constexpr std::uint64_t kExponentOfOne = 0x3FF0000000000000ULL;
constexpr int kExponentBias = 1023;

}  // namespace

double log(double x) {
  auto bits = bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52);
  if (exponent == 0) {  // subnormal
    bits = bit_cast<std::uint64_t>(x * 0x1p54);
    exponent = static_cast<int>(bits >> 52) - 54;
  }
  exponent -= kExponentBias;
  double m = bit_cast<double>((bits & kMantissaBits) | kExponentOfOne);
  if (m > kSqrt2) {
    m *= 0.5;
    ++exponent;
  }
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), s = f / (2 + f), R = 2 z (1/3 + z/5 + z^2/7 + ...), z
  // = s^2.
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  // The series in two halves that do not wait for each other.
  const double y = z * z;
  double even = 1.0 / 23;
  double odd = 1.0 / 21;
  for (int k = 19; k >= 3; k -= 4) even = even * y + 1.0 / k;
  for (int k = 17; k >= 5; k -= 4) odd = odd * y + 1.0 / k;
  const double series = even + z * odd;
  const double half_square = 0.5 * f * f;
  const double rest = 2.0 * z * series;
  const double k = exponent;
  return k * kLn2High - ((half_square - (s * (half_square + rest) + k * kLn2Low)) - f);
}

double exp(double x) {
  if (x > 709.7) return bit_cast<double>(std::uint64_t{0x7FF0000000000000ULL});
  if (x < -708.0) return 0.0;
  const double k = std::floor(x * kInverseLn2 + 0.5);
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low;
  const double r = high - low;
  double series = 1.0;
  for (int n = 13; n >= 3; --n) series = 1.0 + series * r * (1.0 / n);
  const double tail = 0.5 * r * r * series;
  const double correction = (high - r) - low;
  const double y = 1.0 + (high - low + (tail + correction * (1.0 + r)));
  const auto biased = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + kExponentBias);
  return y * bit_cast<double>(biased << 52);
}

double pow(double x, double y) {
  return exp(y * log(x));
}

double cos_2pi(double u) {
  const double quarter = std::floor(u * 4.0 + 0.5);
  const double y = (u - quarter * 0.25) * kTwoPi;  // the reduction is exact in u
  const double z = y * y;
  const int q = static_cast<int>(quarter) & 3;
  // |y| <= pi/4: Taylor's series to y^16 and y^17, in two halves that do not wait for each other;
  // the coefficients are quotients of exact integers.
  const double w = z * z;
  if ((q & 1) == 0) {
    double even = 1.0 / 20922789888000.0;
    double odd = -1.0 / 87178291200.0;
    even = even * w + 1.0 / 479001600.0;
    odd = odd * w - 1.0 / 3628800.0;
    even = even * w + 1.0 / 40320.0;
    odd = odd * w - 1.0 / 720.0;
    even = even * w + 1.0 / 24.0;
    const double c = 1.0 - (0.5 * z - w * (even + z * odd));
    return q == 0 ? c : -c;
  }
  double even = 1.0 / 355687428096000.0;
  double odd = -1.0 / 1307674368000.0;
  even = even * w + 1.0 / 6227020800.0;
  odd = odd * w - 1.0 / 39916800.0;
  even = even * w + 1.0 / 362880.0;
  odd = odd * w - 1.0 / 5040.0;
  even = even * w + 1.0 / 120.0;
  const double s = y - y * (z * (1.0 / 6.0) - w * (even + z * odd));
  return q == 1 ? -s : s;
}

double log_factorial(double n) {
  constexpr double kSeriesFrom = 16;
  if (n < kSeriesFrom) {
    double product = 1.0;
    for (double k = 2; k <= n; k += 1) product *= k;
    return log(product);
  }
  const double x = n + 1.0;
  const double z = 1.0 / (x * x);
  const double series = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680)))) / x;
  return (x - 0.5) * log(x) - x + kHalfLogTwoPi + series;
}

}  // namespace sluice::det
