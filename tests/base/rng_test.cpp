#include "base/rng.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace sluice;

TEST_SUITE("base/rng") {
  TEST_CASE("Philox4x32-10 gives the published answers") {
    // Source: Random123 known-answer vectors.
    CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
          PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
          PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  }
  TEST_CASE("a draw depends on each part of its key") {
    const DrawKey base{
        .seed = 1, .purpose = Purpose::Compute, .entity = 2, .microbatch = 3, .number = 4};
    std::set<PhiloxBlock> seen{draw(base)};
    DrawKey k = base;
    k.seed = 2;
    CHECK(seen.insert(draw(k)).second);
    k = base;
    k.purpose = Purpose::Transfer;
    CHECK(seen.insert(draw(k)).second);
    k = base;
    k.entity = 3;
    CHECK(seen.insert(draw(k)).second);
    k = base;
    k.microbatch = 4;
    CHECK(seen.insert(draw(k)).second);
    k = base;
    k.number = 5;
    CHECK(seen.insert(draw(k)).second);
    CHECK(seen.insert(draw(base, 1)).second);
    CHECK(draw(base) == draw(base));
  }
  TEST_CASE("uniforms lie in [0, 1) and use 53 bits") {
    CHECK(uniform01(0, 0) == 0.0);
    CHECK(uniform01(0xffffffff, 0xffffffff) == 1.0 - 0x1p-53);
    CHECK(uniform01(0x80000000, 0) == 0.5);
  }
}
