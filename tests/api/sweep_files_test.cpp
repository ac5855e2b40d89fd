// A sweep in parts and in pieces: shards that are merged, files that were cut off, and what is
// refused. The whole sweep that they are held against is Sweep's, in one go.
#include "api/sweep_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/sweep.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

SweepRequest request_of(const std::vector<std::string>& axes, std::int64_t seeds) {
  SweepRequest out;
  out.text = kGood;
  out.seeds = seeds;
  for (const std::string& axis : axes) out.axes.push_back(*parse_axis(axis));
  return out;
}

// Thirty points, of which ten cannot run; coordinates and reasons with commas and quotes.
SweepRequest mixed() {
  return request_of(
      {"pipeline.schedule=1f1b,\"no,such\",{order: '0: F0'}", "simulation.microbatches=2:6:1"}, 2);
}

SweepPoints points_of(SweepRequest request) {
  Result<SweepPoints> points = SweepPoints::make(std::move(request));
  REQUIRE(points.ok());
  return std::move(points).value();
}

std::string whole(const SweepRequest& request) {
  Result<Sweep> sweep = Sweep::make(request);
  REQUIRE(sweep.ok());
  sweep.value().step(sweep.value().total());
  return sweep.value().csv();
}

/// The rows of a shard, the header first.
std::vector<std::string> pieces(const SweepPoints& points, const Shard& shard) {
  std::vector<std::string> out{points.header(shard)};
  SweepWorker worker(points);
  for (std::uint64_t k = 0; k < points_in(shard, points.total()); ++k) {
    const std::uint64_t point = point_of(shard, k);
    out.push_back(points.row_text(point, worker.run(point)));
  }
  return out;
}

std::string joined(const std::vector<std::string>& pieces, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < pieces.size(); ++i) out += pieces[i];
  return out;
}

std::vector<SweepPart> parts_of(const SweepPoints& points, std::uint64_t of) {
  std::vector<SweepPart> out;
  for (std::uint64_t i = 1; i <= of; ++i)
    out.push_back({"part" + std::to_string(i), joined(pieces(points, {i, of, true}))});
  return out;
}

std::string refusal_of(const std::vector<SweepPart>& parts) {
  const Result<std::string> merged = merge_parts(parts);
  return merged.ok() ? "" : merged.diagnostics().front().message;
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_SUITE("api/sweep_files") {
  TEST_CASE("shards take every N-th point, together each once") {
    CHECK(points_in({1, 4}, 10) == 3);
    CHECK(points_in({2, 4}, 10) == 3);
    CHECK(points_in({3, 4}, 10) == 2);
    CHECK(points_in({4, 4}, 10) == 2);
    CHECK(points_in({4, 4}, 3) == 0);
    CHECK(point_of({2, 4}, 0) == 1);
    CHECK(point_of({2, 4}, 2) == 9);
  }

  TEST_CASE("four shards merged, in any order, are the unsharded sweep byte for byte") {
    const std::string all = whole(mixed());
    const SweepPoints points = points_of(mixed());
    for (const std::uint64_t of : {1U, 4U, 7U, 40U}) {
      CAPTURE(of);
      std::vector<SweepPart> parts = parts_of(points, of);
      std::reverse(parts.begin(), parts.end());
      const Result<std::string> merged = merge_parts(parts);
      REQUIRE(merged.ok());
      CHECK(merged.value() == all);
    }
  }

  TEST_CASE("a sweep that is cut off at any byte goes on to the same bytes") {
    const SweepPoints points = points_of(mixed());
    for (const Shard& shard : {Shard{}, Shard{2, 3, true}}) {
      const std::vector<std::string> rows = pieces(points, shard);
      const std::string all = joined(rows);
      bool same = true;
      for (std::size_t cut = 0; cut <= all.size(); ++cut) {
        const Result<ResumePoint> from = resume_point(points, shard, all.substr(0, cut));
        REQUIRE(from.ok());
        const ResumePoint& at = from.value();
        const std::size_t next = at.bytes == 0 ? 0 : static_cast<std::size_t>(at.rows) + 1;
        same = same && at.bytes <= cut &&
               all.substr(0, static_cast<std::size_t>(at.bytes)) + joined(rows, next) == all;
      }
      CHECK(same);
    }
    // Of 30 points the 20 with schedules that are none fail.
    const Result<ResumePoint> end = resume_point(points, {}, whole(mixed()));
    REQUIRE(end.ok());
    CHECK(end.value().rows == 30);
    CHECK(end.value().failed == 20);
  }

  TEST_CASE("the file of another sweep is not gone on with") {
    const SweepPoints points = points_of(request_of({"simulation.microbatches=2,3"}, 1));
    const auto refused = [&](const std::string& text) {
      return !resume_point(points, {}, text).ok();
    };
    CHECK(!refused(whole(request_of({"simulation.microbatches=2,3"}, 1))));
    CHECK(refused(whole(request_of({"simulation.microbatches=2,4"}, 1))));
    CHECK(refused(whole(request_of({"simulation.microbatches=2,3,4"}, 1))));
    CHECK(refused(whole(request_of({"simulation.microbatches=2,3"}, 2))));
    CHECK(refused(whole(request_of({"simulation.batches=2,3"}, 1))));
    CHECK(refused("something else\n"));
    CHECK(refused(joined(pieces(points, {1, 2, true}))));
  }

  TEST_CASE("what does not make a whole is refused, with the file that is wrong") {
    const SweepPoints points = points_of(mixed());
    const std::vector<SweepPart> good = parts_of(points, 3);
    CHECK(refusal_of(good).empty());
    CHECK(refusal_of({good[0], good[2]}) == "part 2 of 3 is missing");
    CHECK(refusal_of({good[0], good[1]}) == "part 3 of 3 is missing");
    CHECK(says(refusal_of({good[0], good[1], good[2], good[1]}), "\"part2\" is part 2 again"));
    CHECK(
        says(refusal_of({good[0], good[1], {"plain", whole(mixed())}}), "\"plain\" is not a part"));
    CHECK(says(refusal_of({good[0], good[1], parts_of(points, 4)[2]}), "another number of parts"));

    SweepRequest other = mixed();
    other.seeds = 3;
    CHECK(says(refusal_of({good[0], good[1], parts_of(points_of(other), 3)[2]}), "other axes"));
    other = mixed();
    other.settings = {{"pipeline.activation_mb", "9"}};
    CHECK(
        says(refusal_of({good[0], good[1], parts_of(points_of(other), 3)[2]}), "another scenario"));

    const auto with = [&](const std::string& text) {
      return refusal_of({good[0], {"changed", text}, good[2]});
    };
    const std::vector<std::string> rows = pieces(points, {2, 3, true});
    std::vector<std::string> changed = rows;
    changed.pop_back();
    CHECK(with(joined(changed)) == "\"changed\" ends before row 28");
    CHECK(with(joined(rows).substr(0, joined(rows).size() - 1)) ==
          "the last row of \"changed\" is torn");
    changed = rows;
    changed.erase(changed.begin() + 3);
    CHECK(with(joined(changed)) == "\"changed\" has row 10 where row 7 belongs");
    changed = rows;
    changed.insert(changed.begin() + 3, changed[2]);
    CHECK(with(joined(changed)) == "\"changed\" has row 4 where row 7 belongs");
    CHECK(says(with(joined(rows) + rows.back()), "has rows after the last one"));
  }
}
