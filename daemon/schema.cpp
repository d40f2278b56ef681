#include "daemon/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "daemon/schema_faults.h"

namespace fulcrum::daemon {

namespace {

constexpr int kMaxReferenceDepth = 32;

// Expands the references of one document; each document that is referred to gets an expander of its own.
class Expander {
 public:
  Expander(const Json& document, const FindDocument& find) : document_(document), find_(find) {}

  Expected<Json> expand(const Json& node, int depth) const {
    if (depth > kMaxReferenceDepth) {
      return fail(ErrorCode::limit_exceeded, "schema: a reference contains itself, or nests too deeply");
    }
    if (node.is_object() && node.contains("$ref")) return expand_reference(node, depth);
    Json copy = node;
    if (!node.is_structured()) return copy;
    for (auto it = copy.begin(); it != copy.end(); ++it) {
      FULCRUM_TRY_ASSIGN(child, expand(*it, depth + 1));
      *it = std::move(child);
    }
    return copy;
  }

 private:
  Expected<Json> expand_reference(const Json& node, int depth) const {
    FULCRUM_TRY_ASSIGN(target, resolve(node.at("$ref").get<std::string>(), depth + 1));
    for (const auto& [name, value] : node.items()) {
      if (name != "$ref") target[name] = value;
    }
    return target;
  }

  Expected<Json> resolve(const std::string& reference, int depth) const {
    if (reference.rfind("#/", 0) == 0) {
      const Json::json_pointer pointer(reference.substr(1));
      if (document_.contains(pointer)) return expand(document_.at(pointer), depth);
    } else if (const Json* other = find_ ? find_(reference) : nullptr) {
      auto expanded = Expander(*other, find_).expand(*other, depth);
      if (expanded && expanded->is_object()) {
        for (const char* word : {"definitions", "$schema"})
          expanded->erase(word);
      }
      return expanded;
    }
    return fail(ErrorCode::not_found, fmt::format("schema: '{}' refers to nothing", reference));
  }

  const Json& document_;
  const FindDocument& find_;
};

// Counts up to `limit`, without recursion on what a peer has sent beyond the depth that parse_json allows.
std::size_t count_parts(const Json& value, std::size_t limit) {
  std::size_t parts = 1;
  if (!value.is_structured()) return parts;
  for (const auto& child : value) {
    if (parts > limit) break;
    parts += count_parts(child, limit - std::min(limit, parts));
  }
  return parts;
}

// valijson's context: "<root>", "[params]", "[0]", ...
SchemaPath to_path(const std::vector<std::string>& context) {
  SchemaPath path;
  for (std::size_t i = 1; i < context.size(); ++i)
    path.push_back(context[i].substr(1, context[i].size() - 2));
  return path;
}

}  // namespace

struct Schema::Compiled {
  Json text;
  valijson::Schema schema;
};

Schema::Schema(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Expected<Schema> Schema::compile(const Json& schema) {
  try {
    auto compiled = std::make_unique<Compiled>();
    compiled->text = schema;
    valijson::adapters::NlohmannJsonAdapter adapter(compiled->text);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, compiled->schema);
    return Schema(std::move(compiled));
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, fmt::format("compiling a JSON Schema: {}", e.what()));
  }
}

Faults Schema::validate(const Json& value, const std::string& pointer) const {
  if (count_parts(value, kMaxParts) > kMaxParts) {
    return {
        make_fault(ErrorCode::limit_exceeded, fmt::format("has more than {} parts", kMaxParts), "", pointer)};
  }
  valijson::ValidationResults results;
  try {
    valijson::adapters::NlohmannJsonAdapter adapter(value);
    if (valijson::Validator().validate(compiled_->schema, adapter, &results)) return {};
  } catch (const std::exception& e) {
    return {make_fault(ErrorCode::internal, fmt::format("checking against its schema failed: {}", e.what()),
                       "", pointer)};
  }

  Faults faults;
  std::set<SchemaPath> places;
  for (const auto& result : results)
    places.insert(to_path(result.context));
  for (const auto& place : places) {
    for (auto& fault : explain(compiled_->text, value, place)) {
      if (faults.size() == kMaxFaults) return faults;
      fault.field = pointer + fault.field;
      faults.push_back(std::move(fault));
    }
  }
  if (faults.empty()) {  // a keyword that explain() has no words for
    const auto& first = *results.begin();
    faults.push_back(make_fault(ErrorCode::invalid_argument, first.description, "",
                                pointer + to_pointer(to_path(first.context))));
  }
  return faults;
}

Expected<Json> expand_references(const Json& document, const FindDocument& find) {
  try {
    return Expander(document, find).expand(document, 0);
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, fmt::format("schema: {}", e.what()));
  }
}

}  // namespace fulcrum::daemon
