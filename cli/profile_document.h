#pragma once
// The document in which boards exchange profiles, as far as its carrier must know it: the user has one file,
// and the daemon takes and gives parts of it.
//
//   {"format": "fulcrum-profiles", "version": 1, "measurements": [{...}, ...]}

#include <cstddef>
#include <istream>
#include <string>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum::cli {

inline constexpr std::size_t kMeasurementsAtOnce = 500;  // that the daemon takes

// Reads `file`, or `input` for "-". Only what it takes to cut it in parts is checked; errors name the file.
[[nodiscard]] Expected<Json> load_profiles(const std::string& file, std::istream& input);

// A document with the measurements from number `first` on, as many as go at once.
Json part_of(const Json& document, std::size_t first);

// With a line for each measurement.
std::string document_text(const Json& document);

}  // namespace fulcrum::cli
