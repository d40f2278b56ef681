// Runs a fuzz target without libFuzzer: every seed, then mutations of them, the same in every run.
//   fuzz_<target> SEEDS...     files, and folders of files
// FULCRUM_FUZZ_RUNS: how many mutations (2000; none when only one file is given, which replays it).
// Each input is written to <this program>.input before it runs, so that it is there after a crash of any
// kind.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fulcrum::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDefaultRuns = 2000;

std::vector<fs::path> seed_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const auto& path : paths) {
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::directory_iterator(path))
        files.push_back(entry.path());
    } else {
      files.push_back(path);
    }
  }
  // A folder's order is not the same everywhere, but the mutations are to be.
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.filename() < b.filename(); });
  return files;
}

std::string read_seed(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return bytes;
}

std::uint64_t mutations(const std::vector<fs::path>& paths) {
  if (paths.size() == 1 && !fs::is_directory(paths.front())) return 0;
  const char* runs = std::getenv("FULCRUM_FUZZ_RUNS");  // NOLINT(concurrency-mt-unsafe): there is one thread
  return runs != nullptr ? std::stoull(runs) : kDefaultRuns;
}

// The input that runs now, in a file. It stays open and is overwritten, because file systems make a file that
// is truncated anew, and closed, wait for the disk.
class InputFile {
 public:
  explicit InputFile(fs::path path)
      : path_(std::move(path)), file_(path_, std::ios::binary | std::ios::trunc) {}

  void write(const std::string& input) {
    file_.seekp(0);
    file_ << input;
    if (!file_.flush()) throw std::runtime_error("cannot write " + path_.string());
    fs::resize_file(path_, input.size());
  }
  void remove() const { fs::remove(path_); }

 private:
  fs::path path_;
  std::ofstream file_;
};

void run(const std::string& input, InputFile& file) {
  file.write(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

int run_all(const std::string& program, const std::vector<fs::path>& paths) {
  std::vector<std::string> seeds;
  for (const auto& file : seed_files(paths))
    seeds.push_back(read_seed(file));
  if (seeds.empty()) throw std::runtime_error("no seeds given");

  const std::string input_path = program + ".input";
  const std::uint64_t runs = mutations(paths);
  std::printf("%zu seeds, %llu mutations; if this dies: %s %s\n", seeds.size(),
              static_cast<unsigned long long>(runs), program.c_str(), input_path.c_str());
  std::fflush(stdout);

  InputFile file(input_path);
  for (const auto& seed : seeds)
    run(seed, file);
  Mutator mutator(seeds);
  for (std::uint64_t number = 0; number < runs; ++number)
    run(mutator.make(number), file);
  file.remove();
  return 0;
}

}  // namespace

}  // namespace fulcrum::fuzz

int main(int argc, char** argv) {
  try {
    return fulcrum::fuzz::run_all(argv[0], {argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 2;
  }
}
