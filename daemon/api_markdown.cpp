// Renders the method table as documentation.

#include <fmt/format.h>

#include <algorithm>

#include "daemon/method_table.h"
#include "daemon/rpc_error.h"

namespace fulcrum::daemon {

namespace {

constexpr const char* kIntroduction = R"markdown(# Control API

<!-- Written by FULCRUM_REGENERATE=1 daemon_tests from config/schemas/*.json and daemon/api_markdown.cpp. -->

JSON-RPC 2.0 over a Unix socket, `/run/fulcrum/control.sock` (mode 0660): UTF-8, one request or batch a line, one answer
a line. It needs nothing but a shell:

```sh
echo '{"jsonrpc":"2.0","id":1,"method":"job.list"}' | socat - UNIX-CONNECT:/run/fulcrum/control.sock
```

Parameters are given by name. Unknown fields are errors. All faults of a request are told at once, each with the JSON
pointer of its place:

```json
{"jsonrpc": "2.0", "id": 1, "error": {
  "code": -32602,
  "message": "/params/spec/batch_size: must be at least 1, is 0 (and 1 more)",
  "data": {
    "reason": "invalid_argument", "field": "/params/spec/batch_size",
    "faults": [
      {"field": "/params/spec/batch_size", "message": "must be at least 1, is 0"},
      {"field": "/params/spec/epoch", "message": "unknown field 'epoch'", "hint": "did you mean 'epochs'?"}
    ]}}}
```

A request without `id` gets no answer. A batch has at most 100 requests. Lines, clients, idle time and what may wait for a
slow reader are limited by the configuration (`rpc.*`). A client that watches and does not read is disconnected.

## Events

After `job.watch`, notifications arrive on the same connection: first how things stand, then what changes. `error` comes
with the state `failed`; what `progress` holds depends on the kind of job.

```json
{"jsonrpc": "2.0", "method": "job.event", "params": {"subscription": 7, "job": 1, "name": "fashion", "kind": "training",
 "event": "state", "state": "running"}}
{"jsonrpc": "2.0", "method": "job.event", "params": {"subscription": 7, "job": 1, "name": "fashion", "kind": "training",
 "event": "progress", "progress": {"epoch": 1, "epochs": 2, "minibatch": 1200, "minibatches_per_epoch": 3750}}}
```
)markdown";

constexpr const char* kDatasetTitle = "data set";  // in config/schemas/job.schema.json

std::string type_of(const Json& schema) {
  const Json type = schema.value("type", Json());
  if (type.is_string()) return type.get<std::string>();
  if (schema.contains("enum") || schema.contains("const")) return "choice";
  return "any";
}

std::string limits_of(const Json& schema) {
  std::string text;
  const auto add = [&text](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  const auto add_if = [&](const char* keyword, const char* words) {
    if (schema.contains(keyword)) add(fmt::format("{} {}", words, to_line(schema.at(keyword))));
  };
  if (schema.contains("const")) add(fmt::format("`{}`", to_line(schema.at("const"))));
  if (schema.contains("enum")) {
    for (const auto& choice : schema.at("enum"))
      add(fmt::format("`{}`", to_line(choice)));
  }
  add_if("minimum", "at least");
  add_if("exclusiveMinimum", "above");
  add_if("maximum", "at most");
  add_if("exclusiveMaximum", "below");
  add_if("maxLength", "length at most");
  add_if("default", "default");
  return text;
}

void render_fields(const Json& schema, const std::string& prefix, std::string& rows) {
  const Json required = schema.value("required", Json::array());
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, field] : properties.items()) {
    const bool needed = std::find(required.begin(), required.end(), name) != required.end();
    std::string notes = needed ? "**required**" : "";
    if (field.contains("oneOf")) {
      const bool is_data = field.value("title", "") == kDatasetTitle;
      rows += fmt::format("| `{}{}` | object | {}{}see {} |\n", prefix, name, notes, needed ? "; " : "",
                          is_data ? "[data sets](#data-sets)" : "[job specs](#job-specs)");
      continue;
    }
    for (const auto& part : {limits_of(field), field.value("description", "")}) {
      if (!part.empty()) notes += (notes.empty() ? "" : "; ") + part;
    }
    rows += fmt::format("| `{}{}` | {} | {} |\n", prefix, name, type_of(field), notes);
    render_fields(field, prefix + name + ".", rows);
  }
}

std::string table_of_fields(const Json& schema) {
  std::string rows;
  render_fields(schema, "", rows);
  if (rows.empty()) return "No parameters.\n";
  return "| field | type | |\n|---|---|---|\n" + rows;
}

std::string render_method(const MethodDescription& method) {
  const Json request{
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", method.name}, {"params", method.example.at("params")}};
  const Json answer = rpc_success(1, method.example.at("result"));
  return fmt::format("\n### {}\n\n{}\n\n{}\n```json\n{}\n{}\n```\n", method.name, method.summary,
                     table_of_fields(method.params), to_line(request), to_line(answer));
}

std::string render_datasets(const Json& job) {
  std::string text =
      "\n## Data sets\n\nFiles and folders as the worker finds them on this machine; docs/workloads.md has "
      "an "
      "example of each format.\n";
  for (const auto& form : job.at(Json::json_pointer("/properties/dataset/oneOf"))) {
    text += fmt::format("\n### {}\n\n{}\n\n{}", form.value("title", ""), form.value("description", ""),
                        table_of_fields(form));
  }
  return text;
}

std::string render_job_specs(const std::vector<MethodDescription>& table) {
  std::string text =
      "\n## Job specs\n\nPaths are absolute and are opened by the worker; `fulcrumctl` makes relative ones "
      "absolute.\n";
  const Json::json_pointer forms("/properties/spec/oneOf");
  for (const auto& method : table) {
    if (!method.params.contains(forms)) continue;
    for (const auto& form : method.params.at(forms)) {
      text += fmt::format("\n### {}\n\n{}", form.value("title", "job"), table_of_fields(form));
    }
    text += render_datasets(method.params.at(forms).front());
  }
  return text;
}

}  // namespace

std::string render_api_markdown(const std::vector<MethodDescription>& table) {
  std::string text = std::string(kIntroduction) + "\n## Methods\n\n| method | |\n|---|---|\n";
  for (const auto& method : table)
    text += fmt::format("| `{}` | {} |\n", method.name, method.summary);
  for (const auto& method : table)
    text += render_method(method);
  text += render_job_specs(table);
  text += "\n## Error codes\n\n| code | reason | meaning |\n|---|---|---|\n" + render_error_codes();
  return text;
}

}  // namespace fulcrum::daemon
