// The JSON Schema and the reader come from one table: each knows the keys of the other.
#include "io/schema.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "io/json.hpp"
#include "io/maximal.hpp"
#include "io/reader.hpp"
#include "io/texts.hpp"

using namespace sluice;
using namespace sluice_test;

namespace {

/// Every property of a schema as a path in which `[]` stands for an item of a list.
void property_paths(const Json& schema, const std::string& path, std::set<std::string>& out) {
  if (schema.contains("properties")) {
    for (const auto& [key, value] : schema["properties"].items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      out.insert(below);
      property_paths(value, below, out);
    }
  }
  if (schema.contains("items")) property_paths(schema["items"], path + "[]", out);
  if (schema.contains("anyOf")) {
    for (const Json& form : schema["anyOf"]) property_paths(form, path, out);
  }
}

/// Every key of a document as such a path.
void document_paths(const YamlNode& node, const std::string& path, std::set<std::string>& out) {
  for (const YamlNode::Entry& e : node.entries) {
    const std::string below = path.empty() ? e.key : path + "." + e.key;
    out.insert(below);
    document_paths(*e.value, below, out);
  }
  for (const YamlTree& item : node.items) document_paths(*item, path + "[]", out);
}

/// A document that holds nothing but what leads to `path`.
std::string document_with(const std::string& path, const std::string& beside) {
  std::string open;
  std::string close;
  std::size_t i = 0;
  std::string last;
  while (i < path.size()) {
    std::size_t end = path.find('.', i);
    if (end == std::string::npos) end = path.size();
    std::string key = path.substr(i, end - i);
    std::string item;
    while (key.size() > 2 && key.substr(key.size() - 2) == "[]") {
      key.resize(key.size() - 2);
      item += "[";
    }
    open += "{" + (end == path.size() ? beside : "") + key + ": " + item;
    close = std::string(item.size(), ']') + "}" + close;
    last = key;
    i = end + 1;
  }
  return open + "~" + close;
}

std::set<std::string> maximal_keys() {
  std::set<std::string> keys;
  std::vector<std::string> texts{std::string(kMaximal)};
  for (const std::string_view other : kOtherSchedules)
    texts.push_back(changed(kMaximal, {{std::string(kNamedSchedule), std::string(other)}}));
  texts.push_back(changed(kMaximal, {{std::string(kTimedStage), std::string(kLayersStage)}}));
  texts.emplace_back(
      "pipeline: {partition: uniform, layer_costs: [{count: 2, forward: 1, input_grad: 1, "
      "weight_grad: 1, weights_mb: 1, activation_mb: 1}]}\n");
  texts.emplace_back("pipelines: [{name: a, local_batch: 2}]\n");
  for (const std::string& text : texts) {
    const Result<YamlTree> tree = parse_yaml(text);
    REQUIRE(tree.ok());
    document_paths(*tree.value(), "", keys);
  }
  // Each of several pipelines says what the one would.
  constexpr std::string_view kOne = "pipeline.";
  std::set<std::string> several;
  for (const std::string& key : keys) {
    if (key.starts_with(kOne)) several.insert("pipelines[]." + key.substr(kOne.size()));
  }
  keys.merge(several);
  return keys;
}

std::set<std::string> schema_keys() {
  std::set<std::string> keys;
  property_paths(Json::parse(scenario_schema()), "", keys);
  return keys;
}

}  // namespace

TEST_SUITE("io/schema") {
  TEST_CASE("the schema is one JSON document of draft 2020-12 with the sections of a scenario") {
    const Json schema = Json::parse(scenario_schema(), nullptr, false);
    REQUIRE(!schema.is_discarded());
    CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
    CHECK(schema["type"] == "object");
    CHECK(schema["required"] == Json({"simulation", "pipeline", "hardware"}));
    CHECK(schema["additionalProperties"] == false);
    for (const char* section : {"simulation", "pipeline", "hardware", "optimizer", "failure",
                                "output", "overrides", "ui", "expect"}) {
      CHECK(schema["properties"].contains(section));
    }
  }

  TEST_CASE("every property has a description, and numbers their unit and bounds") {
    const Json schema = Json::parse(scenario_schema());
    const auto at = [&](const std::vector<std::string>& keys) {
      Json node = schema;
      for (const std::string& key : keys) {
        if (node.contains("items")) node = node["items"];
        REQUIRE(node["properties"].contains(key));
        node = node["properties"][key];
      }
      return node;
    };
    const Json weights = at({"pipeline", "stages", "weights_mb"});
    CHECK(weights["type"] == "number");
    CHECK(weights["x-unit"] == "MiB");
    CHECK(weights["minimum"] == 0);
    CHECK(at({"pipeline", "backward_factor"})["exclusiveMinimum"] == 0);
    CHECK(at({"pipeline", "backward_factor"})["default"] == 2.0);
    CHECK(at({"pipeline", "precision"})["enum"] == Json({"fp32", "fp16", "bf16"}));
    CHECK(at({"pipeline", "precision"})["default"] == "fp32");
    CHECK(at({"simulation", "microbatches"})["type"] == "integer");
    CHECK(at({"pipeline", "stages"})["items"]["required"] == Json({"device"}));
    const Json presets = at({"pipeline", "model", "preset"})["examples"];
    CHECK(presets.size() == 46);
    CHECK(presets.front() == "gpt-350m");
    CHECK(!at({"simulation", "microbatches"})["description"].get<std::string>().empty());
  }

  TEST_CASE("every key of a document that says everything is in the schema, and no other") {
    // Each distribution may have the parameters of all of them; once is enough.
    const std::set<std::string> parameters{"type", "value", "mean", "std", "base", "alpha", "lam"};
    const std::set<std::string> schema = schema_keys();
    const std::set<std::string> document = maximal_keys();
    for (const std::string& key : document) CHECK_MESSAGE(schema.contains(key), key);
    for (const std::string& key : schema) {
      if (parameters.contains(key.substr(key.rfind('.') + 1))) continue;
      CHECK_MESSAGE(document.contains(key), key);
    }
    for (const std::string& leaf : parameters) {
      CHECK(std::any_of(document.begin(), document.end(),
                        [&](const std::string& key) { return key.ends_with("." + leaf); }));
    }
  }

  TEST_CASE("the reader knows every property of the schema") {
    // Keys that belong to one word of a choice, to layers or to a value, are asked for only beside
    // it.
    const std::vector<std::string> beside{"",
                                          "mode: explicit, ",
                                          "mode: analytical, ",
                                          "type: constant, ",
                                          "type: normal, ",
                                          "type: heavy_tailed, ",
                                          "type: poisson, ",
                                          "kind: socket, ",
                                          "kind: device, ",
                                          "layers: 1, ",
                                          "value: 1, "};
    for (const std::string& path : schema_keys()) {
      bool known = false;
      for (const std::string& word : beside) {
        const std::string key = word.substr(0, word.find(':'));
        if (!word.empty() && path.size() > key.size() && path.ends_with("." + key)) continue;
        std::string document = document_with(path, word);
        // What hangs below a mode needs the mode.
        for (const char* needs : {"compute: {efficiency", "compute: {jitter"}) {
          const std::size_t at = document.find(needs);
          if (at != std::string::npos) document.insert(at + 10, "mode: analytical, ");
        }
        if (const std::size_t at = document.find("compute: {distribution: {");
            at != std::string::npos) {
          document.insert(at + 10, "mode: explicit, ");
        }
        const Result<YamlTree> tree = parse_yaml(document);
        REQUIRE_MESSAGE(tree.ok(), document);
        const Result<ReadScenario> read = read_scenario(*tree.value());
        REQUIRE(!read.ok());
        bool unknown = false;
        for (const Diagnostic& d : read.diagnostics())
          unknown = unknown || d.code == Code::KeyUnknown;
        // A required word of a choice that is missing keeps the reader from telling.
        bool unsure = false;
        for (const Diagnostic& d : read.diagnostics()) {
          unsure = unsure || (d.code == Code::KeyMissing &&
                              (d.path.ends_with(".type") || d.path.ends_with(".mode")));
        }
        for (const char* itself : {".type", ".mode", ".compute"}) {
          if (path.ends_with(itself)) unsure = false;
        }
        known = known || (!unknown && !unsure);
      }
      CHECK_MESSAGE(known, path);
    }
  }
}
