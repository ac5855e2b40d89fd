// Elementary functions with the same bits on every compiler and platform: only + - * / sqrt, floor,
// comparisons and integer bit operations. The standard library's differ between glibc and musl and
// must not be used in results.
#pragma once

namespace sluice::det {

/// Natural logarithm of a finite x > 0; error below 1 ulp.
double log(double x);

/// e^x; +infinity above 709.7, 0 below -708; error below 1 ulp.
double exp(double x);

/// x^y for x > 0, as exp(y log x); relative error about 1e-13 for |y log x| < 100.
double pow(double x, double y);

/// cos(2 pi u) for u in [0, 1); error below 3 ulp away from zeros.
double cos_2pi(double u);

/// log(n!) for n >= 0: exact products below 16, Stirling's series above; relative error below
/// 1e-14.
double log_factorial(double n);

}  // namespace sluice::det
