#pragma once
// The text that a command is given: of a file, or of standard input for "-".

#include <cstddef>
#include <istream>
#include <string>

#include "common/error.h"

namespace fulcrum::cli {

[[nodiscard]] Expected<std::string> read_input(const std::string& file, std::istream& input,
                                               std::size_t max_bytes);

std::string input_name(const std::string& file);  // for messages

}  // namespace fulcrum::cli
