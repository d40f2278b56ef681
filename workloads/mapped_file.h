#pragma once
// A file mapped into memory, read-only. A page that cannot be read, because somebody has cut the file off or
// its device fails, is an error of the read that needed it, and not the end of the process.

#include <cstddef>
#include <string>
#include <utility>

#include "common/error.h"

namespace fulcrum::workloads {

class MappedFile {
 public:
  // A regular file that is not empty.
  [[nodiscard]] static Expected<MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }

  // Calls use(first byte). It reads nothing beyond size(), does not throw, and is left in the middle at a
  // page that cannot be read: so it must not own anything.
  template <class Use>
  [[nodiscard]] Expected<void> read(const Use& use) const {
    const Call<Use> call{&use, data_};
    if (survives(&run<Use>, &call)) return {};
    return unreadable();
  }

 private:
  template <class Use>
  struct Call {
    const Use* use;
    const std::byte* data;
  };
  template <class Use>
  static void run(const void* call) {
    const auto* typed = static_cast<const Call<Use>*>(call);
    (*typed->use)(typed->data);
  }

  MappedFile(std::string path, const std::byte* data, std::size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}
  static bool survives(void (*function)(const void*), const void* argument);
  Unexpected unreadable() const;

  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fulcrum::workloads
