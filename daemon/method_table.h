#pragma once
// The one table that declares each method of the control socket (config/schemas/methods.json, compiled in).
// It drives validation, rpc.describe, docs/api.md and tests.

#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum::daemon {

struct MethodDescription {
  std::string name;
  std::string summary;
  Json params;  // JSON Schema, as is `result`; without references
  Json result;
  Json example;  // {"params", "result"}

  Json to_json() const;
};

[[nodiscard]] Expected<std::vector<MethodDescription>> load_method_table();

// The text of docs/api.md.
std::string render_api_markdown(const std::vector<MethodDescription>& table);

}  // namespace fulcrum::daemon
