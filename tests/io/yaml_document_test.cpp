// The YAML tree: what is refused as text or syntax, and where each value stands.
#include "io/yaml_document.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

void check_refused(const std::string& what, std::string text, Code code, const char* path = "") {
  CAPTURE(what);
  const Spot spot = take_mark(text);
  const double began = seconds_now();
  const Result<YamlTree> tree = parse_yaml(text);
  CHECK_MESSAGE(seconds_now() - began < patience_seconds(), what);
  REQUIRE_MESSAGE(!tree.ok(), "accepted: " << what);
  const std::string all = listing(tree.diagnostics());
  CAPTURE(all);
  REQUIRE(tree.diagnostics().size() == 1);
  const Diagnostic& d = tree.diagnostics().front();
  CHECK(code_text(d.code) == code_text(code));
  CHECK(d.path == path);
  CHECK(d.line >= 1);
  CHECK(d.column >= 1);
  if (spot.line > 0) {
    CHECK(d.line == spot.line);
    CHECK(d.column == spot.column);
  }
}

YamlTree parsed(const std::string& text) {
  const Result<YamlTree> tree = parse_yaml(text);
  REQUIRE_MESSAGE(tree.ok(), (tree.ok() ? "" : listing(tree.diagnostics())));
  return tree.value();
}

}  // namespace

TEST_SUITE("io/yaml_document") {
  TEST_CASE("text that is not UTF-8 is refused at its first wrong byte") {
    check_refused("a lone continuation", "a: 1\nb: x@\x80", Code::TextNotUtf8);
    check_refused("a byte of Latin-1", "# caf@\xE9\na: 1", Code::TextNotUtf8);
    check_refused("a character cut off", "a: \xE2\x82\xAC@\xE2\x82", Code::TextNotUtf8);
    check_refused("an overlong slash", "a: @\xC0\xAF", Code::TextNotUtf8);
    check_refused("an overlong NUL", "a: @\xE0\x80\x80", Code::TextNotUtf8);
    check_refused("a surrogate", "a: @\xED\xA0\x80", Code::TextNotUtf8);
    check_refused("beyond Unicode", "a: @\xF4\x90\x80\x80", Code::TextNotUtf8);
    check_refused("UTF-16",
                  std::string("@\xFF\xFE"
                              "a\0:\0",
                              7),
                  Code::TextNotUtf8);
  }

  TEST_CASE("control characters are refused, tabs and line ends are not") {
    check_refused("NUL", std::string("a: x@\0y", 7), Code::TextControlCharacter);
    check_refused("escape", "a: 1\nb: @\x1b[0m", Code::TextControlCharacter);
    check_refused("delete", "a: @\x7f", Code::TextControlCharacter);
    CHECK(parsed("a: 1\t# tab\r\nb: 2\r\n")->entries.size() == 2);
  }

  TEST_CASE("a byte order mark is skipped and moves no column") {
    const YamlTree tree = parsed(
        "\xEF\xBB\xBF"
        "a: 1\n");
    REQUIRE(tree->find("a") != nullptr);
    CHECK(tree->find("a")->place == Place{1, 4, 1, 5});
  }

  TEST_CASE("empty texts are refused as empty") {
    for (const char* text :
         {"", " ", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "~", "null"}) {
      check_refused(text, text, Code::YamlEmpty);
    }
  }

  TEST_CASE("syntax errors are placed") {
    check_refused("tab as indentation", "a:\n@\tb: 1\n", Code::YamlSyntax);
    check_refused("an open quote", "a: @\"abc\nb: 1\n", Code::YamlSyntax);
    check_refused("an open list", "a: {b: @[1, 2\n", Code::YamlSyntax);
    check_refused("an open mapping", "a: @{b: 1\n", Code::YamlSyntax);
    check_refused("a wrong bracket", "a: [1, 2@}\n", Code::YamlSyntax);
    check_refused("an open single quote", "a: 'it''s\n  b\n", Code::YamlSyntax);
    check_refused("two values", "a: b: c\n", Code::YamlSyntax);
    check_refused("less indentation", "a:\n    b: 1\n  @c: 2\n", Code::YamlSyntax);
    check_refused("a list and a mapping", "- 1\n@a: 2\n", Code::YamlSyntax);
    check_refused("an unknown alias", "a: @*nobody\n", Code::YamlSyntax);
    check_refused("an alias inside itself", "a: &x [1, @*x]\n", Code::YamlSyntax);
    check_refused("an alias deep inside itself", "a: &x {b: {c: [@*x]}}\n", Code::YamlSyntax);
    check_refused("a reserved character", "a: @`date`\n", Code::YamlSyntax);
    check_refused("a wrong escape", "a: \"\\q\"\n", Code::YamlSyntax);
    check_refused("half a surrogate", "a: \"\\uD800\"\n", Code::YamlSyntax);
  }

  TEST_CASE("keys are text and stand once") {
    check_refused("a list as key", "? @[a]\n: 1\n", Code::YamlKeyNotText);
    check_refused("nothing as key", "@~: 1\n", Code::YamlKeyNotText);
    check_refused("a double key", "a: 1\n@a: 2\n", Code::YamlDuplicateKey, "a");
    check_refused("a double key below", "a:\n  - x: 1\n  - {y: 1, z: 2, @\"y\": 3}\n",
                  Code::YamlDuplicateKey, "a[1].y");
    check_refused("a double key in a nested mapping", "a: {b: {c: 1, @c: 2}}\n",
                  Code::YamlDuplicateKey, "a.b.c");
    check_refused("a double merge", "x: &x {p: 1}\na:\n  <<: *x\n  @<<: *x\n",
                  Code::YamlDuplicateKey, "a.<<");
  }

  TEST_CASE("a second document is refused") {
    check_refused("an empty second document", "a: 1\n---\n", Code::YamlSeveralDocuments);
    check_refused("two documents", "a: 1\n---\n@b: 2\n", Code::YamlSeveralDocuments);
    CHECK(parsed("---\na: 1\n...\n")->entries.size() == 1);
    CHECK(parsed("%YAML 1.2\n---\na: 1\n")->entries.size() == 1);
  }

  TEST_CASE("nesting is bounded, whatever it is made of") {
    check_refused("brackets within the limit of the text", repeated("[", 4'000'000),
                  Code::YamlTooDeep);
    check_refused("braces", repeated("{", 4'000'000), Code::YamlTooDeep);
    check_refused("braces and keys", repeated("{a: ", 1'000'000), Code::YamlTooDeep);
    check_refused("10 MB of brackets", "@" + repeated("[", 10'000'000), Code::TextTooLarge);
    check_refused("10 MB of text", "@a: " + repeated("x", 10'000'000), Code::TextTooLarge);
    check_refused("dashes", repeated("- ", 2'000'000), Code::YamlTooDeep);
    check_refused("question marks", repeated("? ", 2'000'000), Code::YamlTooDeep);
    std::string deep;
    for (std::size_t i = 0; i < 2000; ++i) deep += std::string(i, ' ') + "a:\n";
    check_refused("indented blocks", deep, Code::YamlTooDeep);
    check_refused("41 levels", repeated("[", 40) + "@[" + repeated("]", 41), Code::YamlTooDeep);
    CHECK(parsed(repeated("[", 40) + repeated("]", 40))->items.size() == 1);
  }

  TEST_CASE("aliases count as what they stand for") {
    // 10 lists of ten of the one before: 10^10 values from 300 bytes.
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
      const std::string before = "*a" + std::to_string(i - 1);
      bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
      for (int k = 1; k < 10; ++k) bomb += ", " + before;
      bomb += "]\n";
    }
    check_refused("an alias bomb", bomb, Code::YamlTooManyNodes);
    // Each list holds the one before: as deep as the file is long.
    std::string chain = "- &a0 [x]\n";
    for (int i = 1; i < 60'000; ++i) {
      chain += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    }
    check_refused("a chain of aliases", chain, Code::YamlTooDeep);
    std::string merges = "m: &m {";
    for (int i = 0; i < 20'000; ++i) merges += "k" + std::to_string(i) + ": 1, ";
    merges += "}\nl:\n" + repeated("  - <<: *m\n", 20'000);
    check_refused("a bomb of merges", merges, Code::YamlTooManyNodes);
    check_refused("too many values", "[" + repeated("1,", 300'000) + "]", Code::YamlTooManyNodes);
  }

  TEST_CASE("no short pattern, repeated, takes long") {
    for (const char* pattern :
         {"a",   "-",        "- ",  "? ",    ": ",       "\n",     " ",      "&a ",   "*a ",
          "!",   "!!str a,", "%",   "#",     "\"",       "'",      "|\n",    ">\n",   "\t",
          "a: ", "a: 1\n",   ",",   "[],",   "{},",      "\"a\",", "\r",     "\\",    "@",
          "`",   "<<: ",     "a\n", "- a\n", "\xC3\xA9", "&a b,",  "'a' : ", "---\n", "...\n"}) {
      CAPTURE(pattern);
      const std::string body = repeated(pattern, 250'000 / std::string(pattern).size());
      for (const std::string& text :
           {body, "[" + body, "a: " + body, "{" + body, "\"" + body, "a: |\n  " + body}) {
        const double began = seconds_now();
        const Result<YamlTree> tree = parse_yaml(text);
        CHECK(seconds_now() - began < patience_seconds());
        if (!tree.ok()) CHECK(tree.diagnostics().size() <= 100);
      }
    }
  }

  TEST_CASE("many values on one long line are cheap to place, and placed exactly") {
    std::string line = "a: [";
    for (int i = 0; i < 150'000; ++i) line += "\xC3\xA9,";
    const double began = seconds_now();
    const YamlTree tree = parsed(line + "x]");
    CHECK(seconds_now() - began < patience_seconds());
    CHECK(tree->find("a")->items.back()->place == Place{1, 300'005, 1, 300'006});
  }

  TEST_CASE("values stand where their text does, behind anchors and tags") {
    const YamlTree tree =
        parsed("a: &x 12\nb: !!str 34\nc: &y\n  d: 1\ne: \"q\\\"r\" # c\nf: *x\n'g h': {}\n");
    CHECK(tree->find("a")->place == Place{1, 7, 1, 9});
    CHECK(tree->find("b")->place == Place{2, 10, 2, 12});
    CHECK(tree->find("c")->place == Place{4, 3, 4, 4});
    CHECK(tree->find("e")->place == Place{5, 4, 5, 10});
    CHECK(tree->find("f")->place == Place{1, 7, 1, 9});
    CHECK(tree->entries.back().key_place == Place{7, 1, 7, 6});
    CHECK(tree->find("b")->quoted);
    CHECK(tree->find("e")->scalar == "q\"r");
  }

  TEST_CASE("merge keys bring in what the mapping does not say itself") {
    const YamlTree tree = parsed(
        "x: &x {p: 1, q: 2}\ny: &y {q: 3, r: 4}\n"
        "one: {<<: *x, q: 9}\ntwo: {<<: [*y, *x], s: 5}\n'<<': 7\n");
    const YamlNode* one = tree->find("one");
    CHECK(one->entries.size() == 2);
    CHECK(one->find("p")->scalar == "1");
    CHECK(one->find("q")->scalar == "9");
    const YamlNode* two = tree->find("two");
    CHECK(two->entries.size() == 4);
    CHECK(two->find("q")->scalar == "3");
    CHECK(two->find("r")->scalar == "4");
    CHECK(two->find("s")->scalar == "5");
    CHECK(two->find("p")->place == Place{1, 11, 1, 12});
    REQUIRE(tree->find("<<") != nullptr);
    check_refused("a merge of a scalar", "a:\n  @<<: 1\n", Code::TypeMapping, "a.<<");
    check_refused("a merge of scalars", "a:\n  @<<: [1]\n", Code::TypeMapping, "a.<<");
  }

  TEST_CASE("the words for nothing are nothing unless quoted") {
    const YamlTree tree = parsed("a:\nb: ~\nc: null\nd: Null\ne: NULL\nf: ''\ng: 'null'\n");
    for (const char* key : {"a", "b", "c", "d", "e"}) {
      CHECK(tree->find(key)->kind == YamlNode::Kind::Null);
    }
    for (const char* key : {"f", "g"}) CHECK(tree->find(key)->kind == YamlNode::Kind::Scalar);
  }

  TEST_CASE("a copy shares nothing with the original") {
    const YamlTree tree = parsed("a: &x {b: 1}\nc: *x\n");
    const YamlTree copy = deep_copy(*tree);
    copy->find("a")->find("b")->scalar = "2";
    CHECK(tree->find("a")->find("b")->scalar == "1");
    CHECK(copy->find("c")->find("b")->scalar == "1");
  }
}
