// One JSON type for everything that is written: keys keep the order they were put in, text that is
// not UTF-8 is replaced. For sources of io/ and wasm/ only: it brings in the JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/diagnostics.hpp"

namespace sluice {

using Json = nlohmann::ordered_json;

/// `indent` < 0: one line.
std::string json_text(const Json& json, int indent = -1);

Json diagnostics_to_json(const Diagnostics& diagnostics);

}  // namespace sluice
