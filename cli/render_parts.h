#pragma once
// What the renderers of answers share: rows, and numbers with their units.

#include <optional>
#include <string>
#include <vector>

#include "cli/text.h"
#include "common/json_text.h"

namespace fulcrum::cli {

std::string joined(const std::vector<std::string>& parts, const char* separator = "  ");

// Text as it is, anything else as JSON.
std::string scalar_text(const Json& value);

// `format` has one place, for the number; nothing is added, or "" returned, if there is none.
void add_number(std::vector<std::string>& parts, const Json& json, const char* name, const char* format,
                double scale = 1);
std::string number_text(const Json& json, const char* name, const char* format, double scale = 1);

// A row of a name and a text, unless the text is empty.
void add_row(Table& table, const std::string& name, const std::string& text);
// The same for a text that may be long: it goes on in rows without a name.
void add_paragraph(Table& table, const std::string& name, const std::string& text);

std::string id_text(const Json& job, const char* name = "id");  // "?" if there is none
std::string time_text(const Json& json, const char* name);      // of milliseconds since 1970
std::string named_mode_text(const Json& with_mode);  // "MAXN (12 cores, ...)" of "mode", "mode_name"
std::string measuring_text(const Json& probe);       // "training batch 16 in 8 cores, ..."
// "14 probes in 9 of 441 modes, 21.3 s" of "probes", "modes" and "seconds"
std::string effort_text(const Json& search, std::optional<double> of_modes = std::nullopt);

}  // namespace fulcrum::cli
