#include "cli/input.h"

#include <fmt/format.h>

#include <array>

#include "common/durable_file.h"

namespace fulcrum::cli {

Expected<std::string> read_input(const std::string& file, std::istream& input, std::size_t max_bytes) {
  if (file != "-") return read_file(file, max_bytes);
  std::string text;
  std::array<char, 4096> chunk{};
  while (input) {
    input.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
    if (text.size() > max_bytes) {
      return fail(ErrorCode::limit_exceeded,
                  fmt::format("standard input is larger than {} bytes", max_bytes));
    }
  }
  return text;
}

std::string input_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

}  // namespace fulcrum::cli
