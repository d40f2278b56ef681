#include "cli/output.h"

#include <fmt/format.h>

#include <filesystem>

#include "common/durable_file.h"

namespace fulcrum::cli {

Expected<void> write_output(const std::string& file, const std::string& text) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::invalid_argument, fmt::format("writing '{}': it is not a regular file", file),
                "without -o it goes to standard output");
  }
  return replace_file(file, text);
}

}  // namespace fulcrum::cli
