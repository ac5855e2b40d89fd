// The yardstick does what it claims: it plays 1F1B.
#include "bench/reference_loop.hpp"

#include <doctest/doctest.h>

TEST_SUITE("bench/reference_loop") {
  TEST_CASE("equal stages without latency take (m + p - 1)(f + b), as 1F1B does") {
    for (const std::uint32_t stages : {1U, 2U, 5U}) {
      for (const std::uint32_t microbatches : {1U, 4U, 9U}) {
        CAPTURE(stages);
        CAPTURE(microbatches);
        sluice_bench::ReferenceColumns columns;
        const sluice_bench::ReferencePipeline pipeline{
            .stages = stages, .microbatches = microbatches, .latency_ps = 0};
        const auto result = sluice_bench::ReferenceLoop(pipeline, columns).play();
        CHECK(result.makespan_ps == std::int64_t{3'000'000} * (microbatches + stages - 1));
        CHECK(columns.start.size() == std::size_t{2} * stages * microbatches);
        // One end for each task, one arrival for each transfer over the p - 1 links in both
        // directions.
        CHECK(result.events == std::uint64_t{2} * microbatches * (2 * stages - 1));
      }
    }
  }
}
