#include "cli/profile_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/input.h"
#include "cli/text.h"

namespace fulcrum::cli {

namespace {

constexpr std::size_t kMaxDocumentBytes = 256 << 20;
constexpr const char* kFormat = "fulcrum-profiles";
constexpr const char* kList = "measurements";

// The document's text without its end, and without its measurements.
std::string opening(const Json& document) {
  std::string text = "{";
  for (const auto& [name, value] : document.items()) {
    if (name != kList) text += fmt::format("{}:{},", to_line(name), to_line(value));
  }
  return text + fmt::format("\"{}\":[", kList);
}

}  // namespace

Expected<Json> load_profiles(const std::string& file, std::istream& input) {
  FULCRUM_TRY_ASSIGN(text, read_input(file, input, kMaxDocumentBytes));
  const auto name = input_name(file);
  auto document = parse_json(text);
  if (!document) return in_context(std::move(document).error(), name);
  if (text_in(*document, "format") != kFormat || !document->contains(kList) ||
      !document->at(kList).is_array()) {
    return in_context(
        Error{ErrorCode::invalid_argument,
              fmt::format("is no document of profiles: \"format\" must be \"{}\", and \"{}\" a list", kFormat,
                          kList),
              "'fulcrumctl profile export' writes one",
              {},
              {}},
        name);
  }
  return document;
}

Json part_of(const Json& document, std::size_t first) {
  Json part = Json::object();
  for (const auto& [name, value] : document.items()) {
    if (name != kList) part[name] = value;
  }
  const Json& all = document.at(kList);
  Json& some = part[kList] = Json::array();
  for (std::size_t i = first; i < std::min(all.size(), first + kMeasurementsAtOnce); ++i)
    some.push_back(all[i]);
  return part;
}

std::string document_text(const Json& document) {
  std::string text = opening(document);
  const char* separator = "\n";
  for (const auto& measurement : list_in(document, kList)) {
    text += separator + to_line(measurement);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace fulcrum::cli
