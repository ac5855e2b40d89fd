// Numbers in text: the grammar, and the shortest text that reads back.
#include "io/number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/texts.hpp"

using namespace sluice;

TEST_SUITE("io/number") {
  TEST_CASE("decimal numbers are read to the nearest double") {
    struct Good {
      const char* text;
      double value;
    };
    for (const Good& g : std::vector<Good>{{"0", 0.0},
                                           {"-0", 0.0},
                                           {"+7", 7.0},
                                           {"10", 10.0},
                                           {"0.5", 0.5},
                                           {".5", 0.5},
                                           {"5.", 5.0},
                                           {"-2.25", -2.25},
                                           {"1e3", 1000.0},
                                           {"1E+3", 1000.0},
                                           {"1e03", 1000.0},
                                           {"25e-2", 0.25},
                                           {"0e999", 0.0},
                                           {"0.1", 0.1},
                                           {"9007199254740993", 9007199254740992.0},
                                           {"4.9e-324", 4.9406564584124654e-324},
                                           {"1.7976931348623157e308", 1.7976931348623157e308}}) {
      CAPTURE(std::string(g.text));
      const ParsedNumber parsed = parse_number(g.text);
      CHECK(parsed.status == NumberStatus::Ok);
      CHECK(parsed.value == g.value);
    }
  }

  TEST_CASE("anything else is not a number") {
    for (const char* text :
         {"",         " ",    "1 ",   " 1",   "+",     "-",        ".",   "e5",    "1e",
          "1e+",      "0x10", "0b1",  "0o7",  "010",   "00",       "-01", "1_000", "1,5",
          "1.2.3",    "--1",  "+-1",  "inf",  "-inf",  ".inf",     "nan", ".nan",  "NaN",
          "infinity", "1f",   "1.0L", "1:30", "1e5.5", "\xD9\xA1", "one"}) {
      CAPTURE(std::string(text));
      CHECK(parse_number(text).status == NumberStatus::Syntax);
    }
    CHECK(parse_number(sluice_test::repeated("1", 401)).status == NumberStatus::Syntax);
  }

  TEST_CASE("what a double cannot hold is out of range, not infinite or zero") {
    for (const char* text : {"1e400", "-1e400", "1e-400", "-1e-400", "1e309"}) {
      CAPTURE(std::string(text));
      CHECK(parse_number(text).status == NumberStatus::Range);
    }
  }

  TEST_CASE("the text of a number is short and reads back as the same number") {
    CHECK(number_text(0) == "0");
    CHECK(number_text(-0.0) == "0");
    CHECK(number_text(16) == "16");
    CHECK(number_text(-3) == "-3");
    CHECK(number_text(0.1) == "0.1");
    CHECK(number_text(1.25) == "1.25");
    CHECK(number_text(1e6) == "1000000");
    double value = 1.0;
    for (int i = 0; i < 2000; ++i) {
      // A walk over many magnitudes with crooked mantissas.
      value = std::fmod(value * 1.9371 + 0.3, 1e9) * (i % 7 == 0 ? 1e-11 : 1);
      const ParsedNumber back = parse_number(number_text(value));
      CHECK(back.status == NumberStatus::Ok);
      CHECK(back.value == value);
    }
    for (const double edge :
         {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
          std::numeric_limits<double>::denorm_min(), 1e15, 1e22, 9007199254740993.0}) {
      CHECK(parse_number(number_text(edge)).value == edge);
    }
  }
}
