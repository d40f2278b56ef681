#pragma once
// A directory of a test's own, gone with it.

#include <string>

namespace fulcrum::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The bytes of a file, or "<absent>".
std::string slurp(const std::string& path);
void spill(const std::string& path, const std::string& bytes);

}  // namespace fulcrum::test
