#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace fulcrum::test {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "fulcrum-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + pattern);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "<absent>";
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void spill(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

}  // namespace fulcrum::test
