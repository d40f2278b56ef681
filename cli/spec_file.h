#pragma once
// A job spec as people write it, YAML or JSON, turned into what the daemon takes: JSON with absolute paths.

#include <istream>
#include <string>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum::cli {

// Reads `file`, or `input` for "-". Relative paths in the spec start at the file's folder, or at the current
// one.
[[nodiscard]] Expected<Json> load_spec(const std::string& file, std::istream& input);

// `name` stands for the text in messages. Text that begins with '{' is JSON unless the name ends in .yaml or
// .yml.
[[nodiscard]] Expected<Json> parse_spec(const std::string& text, const std::string& name);

// Makes the fields that name files absolute.
void make_paths_absolute(Json& spec, const std::string& folder);

}  // namespace fulcrum::cli
