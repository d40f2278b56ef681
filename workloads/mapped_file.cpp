#include "workloads/mapped_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>

#include "workloads/open_file.h"

namespace fulcrum::workloads {

namespace {

// Where this thread goes on if a page of a mapping cannot be read; null outside of MappedFile::read.
thread_local sigjmp_buf* way_out = nullptr;

struct sigaction earlier_action {};

// The kernel's answer to reading such a page is SIGBUS, in the thread that reads.
void on_bus_error(int) {
  if (way_out != nullptr) siglongjmp(*way_out, 1);
  ::sigaction(SIGBUS, &earlier_action,
              nullptr);  // not ours: what was there before has it when it comes again
}

bool watch_bus_errors() {
  struct sigaction action {};
  action.sa_handler = on_bus_error;
  ::sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, &earlier_action) == 0;
}

// The handler did not return, so the signal is still blocked, as it is while a handler runs.
void unblock_bus_errors() {
  sigset_t bus_error;
  ::sigemptyset(&bus_error);
  ::sigaddset(&bus_error, SIGBUS);
  ::pthread_sigmask(SIG_UNBLOCK, &bus_error, nullptr);
}

}  // namespace

Expected<MappedFile> MappedFile::open(const std::string& path) {
  static const bool watched = watch_bus_errors();
  if (!watched) return fail(ErrorCode::internal, "SIGBUS cannot be watched for");
  FULCRUM_TRY_ASSIGN(file, open_regular_file(path));
  if (file.bytes == 0) return fail(ErrorCode::corrupt, fmt::format("'{}' is empty", path));
  const auto size = static_cast<std::size_t>(file.bytes);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd.get(), 0);
  if (data == MAP_FAILED) return fail_errno(errno, fmt::format("mapping '{}' into memory", path));
  return MappedFile(path, static_cast<const std::byte*>(data), size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

bool MappedFile::survives(void (*function)(const void*), const void* argument) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) {
    way_out = nullptr;
    unblock_bus_errors();
    return false;
  }
  way_out = &here;
  function(argument);
  way_out = nullptr;
  return true;
}

Unexpected MappedFile::unreadable() const {
  return fail(ErrorCode::io,
              fmt::format("'{}' can no longer be read as the {} bytes that it had", path_, size_),
              "was it cut off, or has its disk failed?");
}

}  // namespace fulcrum::workloads
