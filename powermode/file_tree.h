#pragma once
// The five calls through which a board is seen. Paths are absolute as on the board ("/sys/devices/..."); the
// tree behind them may be the real one, one below another root, or a simulated board. Every line above this
// interface is shared by real and simulated boards.

#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace fulcrum {

class FileTree {
 public:
  virtual ~FileTree() = default;

  // The whole content, at most 64 KiB. A pipe or a device without data is `unavailable`; a node whose driver
  // does not answer holds up the caller.
  [[nodiscard]] virtual Expected<std::string> read(const std::string& path) const = 0;
  // One write(2) of `value`, as the kernel's attributes need it.
  [[nodiscard]] virtual Expected<void> write(const std::string& path, std::string_view value) = 0;
  // Names in a directory, sorted, without "." and "..".
  [[nodiscard]] virtual Expected<std::vector<std::string>> list(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  [[nodiscard]] virtual Expected<std::string> readlink(const std::string& path) const = 0;
};

}  // namespace fulcrum
