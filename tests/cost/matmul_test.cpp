// How full the last wave of a matrix product is, counted by hand.
#include "cost/matmul.hpp"

#include <doctest/doctest.h>

using namespace sluice;

TEST_SUITE("cost/matmul") {
  TEST_CASE("wave quantization on an A100's 108 multiprocessors") {
    // 1024 x 5120 is 8 x 20 tiles: two waves for 1.48 waves of work.
    CHECK(wave_share(1024, 5120, 108) == doctest::Approx(160.0 / 216));
    // 6144 x 2304 is 48 x 9 tiles: exactly four waves.
    CHECK(wave_share(6144, 2304, 108) == doctest::Approx(1));
    // A tile that is half empty takes as long as a full one.
    CHECK(wave_share(64, 256, 1) == doctest::Approx(0.5));
  }
  TEST_CASE("nothing is lost where the number of multiprocessors is unknown") {
    CHECK(wave_share(1024, 5120, 0) == 1);
  }
}
