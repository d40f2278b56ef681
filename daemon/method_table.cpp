#include "daemon/method_table.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "daemon/schema.h"

namespace fulcrum::daemon {

std::string_view embedded_text(std::string_view name);  // by fulcrum_embed_text

Json MethodDescription::to_json() const {
  return {{"name", name}, {"summary", summary}, {"params", params}, {"result", result}, {"example", example}};
}

Expected<std::vector<MethodDescription>> load_method_table() {
  FULCRUM_TRY_ASSIGN(job_schema, parse_json(embedded_text("job.schema.json")));
  FULCRUM_TRY_ASSIGN(document, parse_json(embedded_text("methods.json")));
  FULCRUM_TRY_ASSIGN(expanded, expand_references(document, [&job = job_schema](const std::string& name) {
                       return name == "job.schema.json" ? &job : nullptr;
                     }));
  std::vector<MethodDescription> table;
  for (const auto& method : expanded.at("methods")) {
    table.push_back({method.at("name").get<std::string>(), method.at("summary").get<std::string>(),
                     method.at("params"), method.at("result"), method.at("example")});
  }
  return table;
}

}  // namespace fulcrum::daemon
