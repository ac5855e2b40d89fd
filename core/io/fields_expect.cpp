// `expect:`: what a scenario says of its own summary.
#include <array>

#include "io/fields.hpp"

namespace sluice {

void describe_expectation(Fields& f, Expectation& e) {
  f.text({.name = "path",
          .doc = "A number of the summary, such as bubble.idle_over_makespan; true counts as 1",
          .required = true},
         e.path);
  constexpr std::array<std::string_view, 3> kBounds{"value", "at_most", "at_least"};
  f.exclusive(kBounds, true);
  f.optional_number({.name = "value", .doc = "What it should be"}, e.value, Range{});
  f.optional_number({.name = "at_most", .doc = "What it must not exceed"}, e.at_most, Range{});
  f.optional_number({.name = "at_least", .doc = "What it must reach"}, e.at_least, Range{});
  if (!e.value && !f.documenting()) return;
  f.optional_number(
      {.name = "tolerance",
       .doc = "How far off `value` it may be, in its unit; unless written a millionth of it"},
      e.tolerance, kNonNegative);
}

}  // namespace sluice
