// The field table as a JSON Schema (draft 2020-12), for the page's completion and hover and for
// other editors.
#pragma once

#include <string>

namespace sluice {

/// One JSON document. Titles are docs, `x-unit` the unit, `x-doc` the meaning of each word of an
/// enum.
std::string scenario_schema();

}  // namespace sluice
