#include "daemon/schema_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "common/json_fields.h"
#include "common/suggest.h"

namespace fulcrum::daemon {

namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr const char* kAbsolutePath = "^/";  // the one pattern that has words of its own

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = to_line(value);
  if (value.is_string()) text = fmt::format("'{}'", value.get_ref<const std::string&>());
  if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
  return text;
}

std::string type_in_words(const std::string& type) {
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  if (type == "string") return "a text";
  if (type == "boolean") return "true or false";
  if (type == "array") return "a list";
  if (type == "object") return "an object";
  return type;
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return value.is_null();
}

// Collects the faults of one value against the keywords of one schema node.
class Explainer {
 public:
  Explainer(const Json& schema, const Json& value, std::string pointer)
      : schema_(schema), value_(value), pointer_(std::move(pointer)) {}

  Faults explain() {
    if (!type_fits()) return std::move(faults_);
    check_choice();
    if (value_.is_number()) check_number();
    if (value_.is_string()) check_text();
    if (value_.is_array()) check_list();
    if (value_.is_object()) check_object();
    return std::move(faults_);
  }

 private:
  void fault(const std::string& message, std::string hint = {}) {
    faults_.push_back(make_fault(ErrorCode::invalid_argument, message, std::move(hint), pointer_));
  }

  const Json* keyword(const char* name) const {
    const auto it = schema_.find(name);
    return it == schema_.end() ? nullptr : &*it;
  }

  bool type_fits() {
    const Json* types = keyword("type");
    if (types == nullptr) return true;
    std::string wanted;
    for (const auto& type : types->is_array() ? *types : Json::array({*types})) {
      const auto& name = type.get_ref<const std::string&>();
      if (has_type(value_, name)) return true;
      wanted += (wanted.empty() ? "" : " or ") + type_in_words(name);
    }
    fault(fmt::format("must be {}, is {}", wanted, shown(value_)));
    return false;
  }

  void check_choice() {
    if (const Json* only = keyword("const"); only != nullptr && *only != value_) {
      fault(fmt::format("must be {}, is {}", shown(*only), shown(value_)));
    }
    const Json* choices = keyword("enum");
    if (choices == nullptr) return;
    std::vector<std::string> names;
    for (const auto& choice : *choices) {
      if (choice == value_) return;
      names.push_back(shown(choice));
    }
    std::string hint;
    if (value_.is_string() && nearest_name(shown(value_), names)) {
      hint = fmt::format("did you mean {}?", *nearest_name(shown(value_), names));
    }
    fault(fmt::format("must be {}{}, is {}", names.size() > 1 ? "one of " : "", fmt::join(names, ", "),
                      shown(value_)),
          hint);
  }

  void check_number() {
    const double number = value_.get<double>();
    const auto refuse = [this](const char* relation, const Json& limit) {
      fault(fmt::format("must be {} {}, is {}", relation, to_line(limit), shown(value_)));
    };
    const auto limit = [this](const char* name) { return keyword(name); };
    if (const auto* low = limit("minimum"); low && number < low->get<double>()) refuse("at least", *low);
    if (const auto* low = limit("exclusiveMinimum"); low && number <= low->get<double>())
      refuse("above", *low);
    if (const auto* high = limit("maximum"); high && number > high->get<double>()) refuse("at most", *high);
    if (const auto* high = limit("exclusiveMaximum"); high && number >= high->get<double>())
      refuse("below", *high);
  }

  void check_text() {
    const auto& text = value_.get_ref<const std::string&>();
    if (const auto* low = keyword("minLength"); low && text.size() < low->get<std::size_t>()) {
      return fault(text.empty() ? "must not be empty"
                                : fmt::format("is shorter than {} characters", to_line(*low)));
    }
    if (const auto* high = keyword("maxLength"); high && characters(text) > high->get<std::size_t>()) {
      fault(fmt::format("must have at most {} characters, has {}", to_line(*high), characters(text)));
    }
    const auto* pattern = keyword("pattern");
    if (pattern != nullptr && *pattern == kAbsolutePath && !text.empty() && text.front() != '/') {
      fault(fmt::format("must be an absolute path, is {}", shown(value_)), "fulcrumctl makes paths absolute");
    }
  }

  // UTF-8: bytes that begin a character.
  static std::size_t characters(const std::string& text) {
    std::size_t count = 0;
    for (const char c : text)
      count += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1;
    return count;
  }

  void check_list() {
    if (const auto* low = keyword("minItems"); low && value_.size() < low->get<std::size_t>()) {
      fault(value_.empty()
                ? "must not be empty"
                : fmt::format("must have at least {} items, has {}", to_line(*low), value_.size()));
    }
    if (const auto* high = keyword("maxItems"); high && value_.size() > high->get<std::size_t>()) {
      fault(fmt::format("must have at most {} items, has {}", to_line(*high), value_.size()));
    }
  }

  void check_object() {
    std::vector<std::string> known;
    if (const auto* properties = keyword("properties")) {
      for (const auto& [name, unused] : properties->items())
        known.push_back(name);
    }
    const Json* additional = keyword("additionalProperties");
    if (additional != nullptr && *additional == false) {
      for (const auto& [name, unused] : value_.items()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        faults_.push_back(
            make_fault(ErrorCode::invalid_argument, fmt::format("unknown field {}", shown(name)),
                       known.empty() ? "" : did_you_mean(name, known), pointer_ + pointer_step(name)));
      }
    }
    const auto* required = keyword("required");
    if (required == nullptr) return;
    for (const auto& name : *required) {
      const auto& text = name.get_ref<const std::string&>();
      if (value_.contains(text)) continue;
      faults_.push_back(make_fault(ErrorCode::invalid_argument, "is missing", hint_for(text),
                                   pointer_ + pointer_step(text)));
    }
  }

  // What a missing field could be, if the schema says it in few words.
  std::string hint_for(const std::string& field) const {
    const Json schema =
        schema_.value(Json::json_pointer("/properties" + pointer_step(field)), Json::object());
    if (schema.contains("const")) return fmt::format("must be {}", shown(schema.at("const")));
    if (!schema.contains("enum")) return schema.value("description", "");
    std::vector<std::string> names;
    for (const auto& choice : schema.at("enum"))
      names.push_back(shown(choice));
    return fmt::format("{}{}", names.size() > 1 ? "one of " : "must be ", fmt::join(names, ", "));
  }

  const Json& schema_;
  const Json& value_;
  std::string pointer_;
  Faults faults_;
};

// A field that is a constant in every branch of a oneOf, and so tells them apart; empty if there is none.
std::string discriminator(const Json& branches) {
  const Json first = branches.front().value("properties", Json::object());
  for (const auto& [name, unused] : first.items()) {
    const Json::json_pointer constant("/properties" + pointer_step(name) + "/const");
    const auto has_it = [&](const Json& branch) { return branch.contains(constant); };
    if (std::all_of(branches.begin(), branches.end(), has_it)) return name;
  }
  return {};
}

// The form of a oneOf that `value` claims to be, or `schema` itself where there is no such choice.
struct Chosen {
  const Json* schema = nullptr;  // null: the value does not say which form it has
  std::string field;             // then: the field that would say it,
  Json kinds;                    // and what it may be
};

Chosen choose_form(const Json& schema, const Json& value) {
  const auto branches = schema.find("oneOf");
  if (branches == schema.end()) return {&schema, {}, {}};
  std::string field = discriminator(*branches);
  if (field.empty()) return {&schema, {}, {}};
  const Json::json_pointer constant("/properties" + pointer_step(field) + "/const");
  Json kinds = Json::array();
  for (const auto& branch : *branches) {
    const Json& kind = branch.at(constant);
    if (value.is_object() && value.contains(field) && value.at(field) == kind) return {&branch, {}, {}};
    kinds.push_back(kind);
  }
  return {nullptr, std::move(field), std::move(kinds)};
}

// For a value that fits no form, because it does not say which form it has.
Faults explain_formless(const Chosen& chosen, const Json& value, const std::string& pointer) {
  const Json kind{{"enum", chosen.kinds}};
  const Json object{{"type", "object"}, {"required", {chosen.field}}, {"properties", {{chosen.field, kind}}}};
  Faults faults = Explainer(object, value, pointer).explain();
  if (!faults.empty()) return faults;
  return Explainer(kind, value.at(chosen.field), pointer + pointer_step(chosen.field)).explain();
}

const Json* child_of(const Json& value, const std::string& step) {
  if (value.is_object()) {
    const auto it = value.find(step);
    return it == value.end() ? nullptr : &*it;
  }
  if (!value.is_array()) return nullptr;
  const auto index = std::strtoul(step.c_str(), nullptr, 10);
  return index < value.size() ? &value[index] : nullptr;
}

// The schema of one step below a place; null where the schema says nothing.
const Json* schema_below(const Json& schema, const Json& value, const std::string& step) {
  if (value.is_array()) {
    const auto items = schema.find("items");
    return items != schema.end() && items->is_object() ? &*items : nullptr;
  }
  for (const char* word : {"properties", "additionalProperties"}) {
    const auto it = schema.find(word);
    if (it == schema.end() || !it->is_object()) continue;
    if (word == std::string_view("additionalProperties")) return &*it;
    if (const auto property = it->find(step); property != it->end()) return &*property;
  }
  return nullptr;
}

}  // namespace

std::string to_pointer(const SchemaPath& path) {
  std::string pointer;
  for (const auto& step : path)
    pointer += pointer_step(step);
  return pointer;
}

Faults explain(const Json& schema, const Json& root, const SchemaPath& path) {
  const Json* node = &schema;
  const Json* value = &root;
  std::string pointer;
  for (std::size_t i = 0; node != nullptr && value != nullptr; ++i) {
    const bool arrived = i == path.size();
    const Chosen chosen = choose_form(*node, *value);
    if (chosen.schema == nullptr) return arrived ? explain_formless(chosen, *value, pointer) : Faults{};
    if (arrived) return Explainer(*chosen.schema, *value, pointer).explain();
    node = schema_below(*chosen.schema, *value, path[i]);
    value = child_of(*value, path[i]);
    pointer += pointer_step(path[i]);
  }
  return {};
}

}  // namespace fulcrum::daemon
