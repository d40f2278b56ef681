#pragma once
// One YAML document as JSON, with the types of the YAML 1.2 core schema: plain true, 3, 0x10, 1.5e-3 and null
// are what they look like (yes, no and 1:30 are text); what is quoted is text.

#include <string>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum::cli {

// Messages begin with "name:line:column:".
[[nodiscard]] Expected<Json> yaml_to_json(const std::string& text, const std::string& name);

}  // namespace fulcrum::cli
