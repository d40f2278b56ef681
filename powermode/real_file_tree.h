#pragma once
// The machine's own files, or those of a tree below another directory (a mounted simulated board, a copy of a
// board's /sys). Paths are resolved from a directory that is opened once; ".." is refused. A link of a tree
// below another directory leads where it would if that directory were "/", and never outside. Reads and
// writes are opened non-blocking, so that a FIFO or a device in the tree cannot stall the daemon; a kernel
// attribute may still take its time.

#include <memory>
#include <string>

#include "common/unique_fd.h"
#include "powermode/file_tree.h"

namespace fulcrum {

class RealFileTree final : public FileTree {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<RealFileTree>> open(const std::string& root = "/");

  [[nodiscard]] Expected<std::string> read(const std::string& path) const override;
  // A path that ends in a link is refused: a knob is never one.
  [[nodiscard]] Expected<void> write(const std::string& path, std::string_view value) override;
  [[nodiscard]] Expected<std::vector<std::string>> list(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  [[nodiscard]] Expected<std::string> readlink(const std::string& path) const override;

 private:
  RealFileTree(UniqueFd root, bool confined) : root_(std::move(root)), confined_(confined) {}
  [[nodiscard]] Expected<UniqueFd> open_below(const std::string& path, int flags, const char* doing) const;

  UniqueFd root_;
  bool confined_;  // the root is not the machine's own
};

}  // namespace fulcrum
