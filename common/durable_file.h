#pragma once
// Whole files, read with a size cap and replaced so that a reader or a crash sees the old bytes or the new,
// never a mixture. Symlinks at the last component are not followed when writing.

#include <cstddef>
#include <string>
#include <string_view>

#include "common/error.h"

namespace fulcrum {

// All bytes of a regular file. limit_exceeded if it is larger than max_bytes.
[[nodiscard]] Expected<std::string> read_file(const std::string& path, std::size_t max_bytes);

enum class Durability {
  atomic,   // survives a crash of this process
  durable,  // also survives a power cut: file and directory are fsynced
};

// Writes a temporary file beside `path`, then renames it onto `path`. The new file has permissions `mode`.
[[nodiscard]] Expected<void> replace_file(const std::string& path, std::string_view bytes,
                                          Durability durability = Durability::durable, unsigned mode = 0644);

// Removes a file and fsyncs its directory; a file that is not there is no error.
[[nodiscard]] Expected<void> remove_file_durably(const std::string& path);

// Creates `path` and missing parents; an existing directory is no error.
[[nodiscard]] Expected<void> make_directories(const std::string& path);

}  // namespace fulcrum
