#include "cli/yaml_json.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "common/yaml_documents.h"

namespace fulcrum::cli {

namespace {

constexpr std::size_t kMaxNodes = 100000;  // aliases can make a small text huge

template <class Number>
std::optional<Number> parse(std::string_view text, int base = 10) {
  Number number{};
  const char* end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<Number>) {
    result = std::from_chars(text.data(), end, number);
  } else {
    result = std::from_chars(text.data(), end, number, base);
  }
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// The forms of the core schema: an optional sign, then digits with at most one point, then an optional
// exponent.
bool looks_like_number(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  return std::isdigit(static_cast<unsigned char>(text.front())) != 0 ||
         (text.front() == '.' && text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[1])) != 0);
}

std::optional<Json> based_number(std::string_view text) {
  const int base = text.rfind("0x", 0) == 0 ? 16 : text.rfind("0o", 0) == 0 ? 8 : 0;
  if (base == 0) return std::nullopt;
  const auto number = parse<std::uint64_t>(text.substr(2), base);
  return number ? std::optional<Json>(*number) : std::nullopt;
}

// What a plain scalar is; nothing for text.
std::optional<Json> typed(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Json(nullptr);
  if (is_one_of(text, {"true", "True", "TRUE"})) return Json(true);
  if (is_one_of(text, {"false", "False", "FALSE"})) return Json(false);
  if (auto number = based_number(text)) return number;
  if (!looks_like_number(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  if (const auto number = parse<std::int64_t>(text)) return Json(*number);
  if (const auto number = parse<std::uint64_t>(text)) return Json(*number);
  if (const auto number = parse<double>(text); number && std::isfinite(*number)) return Json(*number);
  return std::nullopt;
}

class Converter {
 public:
  explicit Converter(std::string name) : name_(std::move(name)) {}

  Expected<Json> convert(const YAML::Node& node, int depth) {
    if (depth > kMaxJsonDepth || ++nodes_ > kMaxNodes)
      return refuse(node, "too many or too deeply nested values");
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return convert_map(node, depth);
      case YAML::NodeType::Sequence:
        return convert_list(node, depth);
      case YAML::NodeType::Scalar:
        return convert_scalar(node);
      default:
        return Json(nullptr);
    }
  }

 private:
  Unexpected refuse(const YAML::Node& at, const std::string& what) const {
    const auto mark = at.Mark();
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}:{}:{}: {}", name_, mark.line + 1, mark.column + 1, what));
  }

  Expected<Json> convert_map(const YAML::Node& node, int depth) {
    Json object = Json::object();
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) return refuse(entry.first, "a key must be a word");
      const auto& key = entry.first.Scalar();
      if (object.contains(key)) return refuse(entry.first, fmt::format("'{}' is given twice", key));
      FULCRUM_TRY_ASSIGN(value, convert(entry.second, depth + 1));
      object[key] = std::move(value);
    }
    return object;
  }

  Expected<Json> convert_list(const YAML::Node& node, int depth) {
    Json list = Json::array();
    for (const auto& item : node) {
      FULCRUM_TRY_ASSIGN(value, convert(item, depth + 1));
      list.push_back(std::move(value));
    }
    return list;
  }

  Expected<Json> convert_scalar(const YAML::Node& node) const {
    const std::string& tag = node.Tag();
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return Json(node.Scalar());
    if (tag != "?" && !tag.empty()) return refuse(node, fmt::format("tag '{}' is not supported", tag));
    auto value = typed(node.Scalar());
    return value ? *std::move(value) : Json(node.Scalar());
  }

  std::string name_;
  std::size_t nodes_ = 0;
};

}  // namespace

Expected<Json> yaml_to_json(const std::string& text, const std::string& name) {
  try {
    const auto documents = yaml_document_starts(text);
    if (documents.empty()) {
      return fail(ErrorCode::invalid_argument, fmt::format("{}: holds no YAML document", name));
    }
    if (documents.size() > 1) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{}:{}:{}: a second YAML document begins here, one is expected", name,
                              documents.back().line + 1, documents.back().column + 1));
    }
    return Converter(name).convert(YAML::Load(text), 0);
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}:{}:{}: not valid YAML: {}", name, e.mark.line + 1, e.mark.column + 1, e.msg));
  }
}

}  // namespace fulcrum::cli
