#include "workloads/checkpoint_store.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "common/durable_file.h"

namespace fulcrum::workloads {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{4} << 30;
constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::string_view kSuffix = ".ckpt";
// One line of text before the bytes: "fulcrum-checkpoint 1 <crc32, hex> <bytes>\n", always of this length.
constexpr std::string_view kMagic = "fulcrum-checkpoint 1 ";
constexpr std::size_t kHeaderBytes = kMagic.size() + 8 + 1 + 16 + 1;

std::string header_of(std::string_view bytes) {
  const auto crc =
      ::crc32_z(::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return fmt::format("{}{:08x} {:016x}\n", kMagic, crc, bytes.size());
}

std::optional<std::uint64_t> step_of(const std::string& file_name) {
  std::string_view name = file_name;
  if (name.size() <= kPrefix.size() + kSuffix.size() || name.substr(0, kPrefix.size()) != kPrefix ||
      name.substr(name.size() - kSuffix.size()) != kSuffix) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  std::uint64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return step;
}

std::string path_of(const std::string& directory, std::uint64_t step) {
  return fmt::format("{}/{}{:012}{}", directory, kPrefix, step, kSuffix);
}

Expected<std::string> read_whole(const std::string& path) {
  FULCRUM_TRY_ASSIGN(file, read_file(path, kMaxBytes));
  const std::string_view all = file;
  if (all.size() < kHeaderBytes || all.substr(0, kMagic.size()) != kMagic) {
    return fail(ErrorCode::corrupt, fmt::format("'{}' is no checkpoint of this version", path));
  }
  const std::string_view bytes = all.substr(kHeaderBytes);
  if (all.substr(0, kHeaderBytes) != header_of(bytes)) {
    return fail(ErrorCode::corrupt, fmt::format("'{}' is damaged: length or checksum is wrong", path));
  }
  return std::string(bytes);
}

}  // namespace

Expected<std::vector<std::uint64_t>> list_checkpoints(const std::string& directory) {
  std::vector<std::uint64_t> found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (const auto step = step_of(it->path().filename().string())) found.push_back(*step);
  }
  if (error) return fail_errno(error.value(), fmt::format("listing '{}'", directory));
  std::sort(found.rbegin(), found.rend());
  return found;
}

Expected<StoredCheckpoint> read_checkpoint(const std::string& directory, std::uint64_t step) {
  FULCRUM_TRY_ASSIGN(bytes, read_whole(path_of(directory, step)));
  return StoredCheckpoint{step, std::move(bytes)};
}

Expected<CheckpointStore> CheckpointStore::open(const std::string& directory, int kept) {
  FULCRUM_TRY(make_directories(directory));
  FULCRUM_TRY_ASSIGN(lock, DirectoryLock::acquire(directory));
  CheckpointStore store(directory, std::move(lock), kept);
  FULCRUM_TRY(store.remove_leftovers());
  return store;
}

// Files that a process left half written when it died. The lock is ours, so nobody is writing them.
Expected<void> CheckpointStore::remove_leftovers() const {
  std::vector<std::string> leftovers;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".tmp") leftovers.push_back(it->path().string());
  }
  if (error) return fail_errno(error.value(), fmt::format("listing '{}'", directory_));
  for (const auto& path : leftovers)
    FULCRUM_TRY(remove_file_durably(path));
  return {};
}

Expected<void> CheckpointStore::write(std::uint64_t step, std::string_view bytes) {
  std::string file = header_of(bytes);
  file += bytes;
  FULCRUM_TRY(replace_file(path_of(directory_, step), file, Durability::durable, 0600));
  FULCRUM_TRY_ASSIGN(found, list_checkpoints(directory_));
  for (std::size_t i = kept_; i < found.size(); ++i)
    FULCRUM_TRY(remove_file_durably(path_of(directory_, found[i])));
  return {};
}

Expected<std::optional<StoredCheckpoint>> CheckpointStore::load_latest(std::vector<Error>& warnings) const {
  FULCRUM_TRY_ASSIGN(found, list_checkpoints(directory_));
  for (const std::uint64_t step : found) {
    auto stored = read_checkpoint(directory_, step);
    if (stored) return std::optional<StoredCheckpoint>(std::move(*stored));
    warnings.push_back(std::move(stored).error());
  }
  if (found.empty()) return std::optional<StoredCheckpoint>{};
  return fail(ErrorCode::corrupt,
              fmt::format("none of the {} checkpoints in '{}' can be read", found.size(), directory_),
              "remove them to train from the start");
}

}  // namespace fulcrum::workloads
