#include "cli/spec_file.h"

#include <array>
#include <filesystem>

#include "cli/input.h"
#include "cli/yaml_json.h"
#include "common/dataset_spec.h"

namespace fulcrum::cli {

namespace {

constexpr std::size_t kMaxSpecBytes = 1 << 20;

constexpr std::array<const char*, 2> kPathFields{"/model/torchscript", "/output"};
constexpr std::array<const char*, 3> kDatasets{"/dataset", "/validation/dataset", "/source/dataset"};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool looks_like_json(const std::string& text, const std::string& name) {
  if (ends_with(name, ".json")) return true;
  if (ends_with(name, ".yaml") || ends_with(name, ".yml")) return false;
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

// A path, or a list of paths.
void make_absolute(Json& value, const std::string& folder) {
  if (value.is_array()) {
    for (auto& item : value) {
      if (item.is_string()) make_absolute(item, folder);
    }
  }
  if (!value.is_string()) return;
  const auto path = value.get<std::string>();
  if (path.empty() || path.front() == '/') return;
  value = (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace

Expected<Json> load_spec(const std::string& file, std::istream& input) {
  const bool from_input = file == "-";
  FULCRUM_TRY_ASSIGN(text, read_input(file, input, kMaxSpecBytes));
  FULCRUM_TRY_ASSIGN(spec, parse_spec(text, input_name(file)));
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) return fail_errno(error.value(), "finding the current folder");
  make_paths_absolute(spec, from_input ? here.string() : (here / file).parent_path().string());
  return spec;
}

Expected<Json> parse_spec(const std::string& text, const std::string& name) {
  if (!looks_like_json(text, name)) return yaml_to_json(text, name);
  auto json = parse_json(text);
  if (!json) json.error().message.insert(0, name + ": ");
  return json;
}

void make_paths_absolute(Json& spec, const std::string& folder) {
  for (const char* field : kPathFields) {
    const Json::json_pointer place(field);
    if (spec.contains(place)) make_absolute(spec[place], folder);
  }
  for (const char* dataset : kDatasets) {
    for (const auto& field : dataset_path_fields()) {
      const Json::json_pointer place(dataset + pointer_step(field));
      if (spec.contains(place)) make_absolute(spec[place], folder);
    }
  }
}

}  // namespace fulcrum::cli
