#include "powermode/simulated_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fuse.h>
#include <fuse_lowlevel.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "powermode/simulated_nvpmodel.h"

namespace fulcrum {

namespace {

using NodeInfo = SimulatedFileTree::NodeInfo;

constexpr off_t kAttributeSize = 4096;  // as sysfs tells of each of its files

// Reads that are blocked each hold a thread.
#if FUSE_USE_VERSION >= 312
constexpr unsigned kMostThreads = 1024;
#endif
constexpr unsigned kIdleThreads = 8;

// A file that somebody has open. As in sysfs, the text is made by a read at the start; reads further on go on
// in that text.
class OpenFile {
 public:
  bool has_text() const {
    const std::lock_guard lock(mutex_);
    return text_.has_value();
  }
  void set_text(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  int copy(char* to, std::size_t size, off_t offset) const {
    const std::lock_guard lock(mutex_);
    if (!text_) return 0;
    const auto start = std::min(static_cast<std::size_t>(offset), text_->size());
    return static_cast<int>(text_->copy(to, size, start));
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> text_;
};

// What is mounted, and the files that are open there, by the handles that the kernel keeps.
class Front {
 public:
  Front(SimulatedFileTree& board, std::string nvpmodel) : board_(board), nvpmodel_(std::move(nvpmodel)) {}

  SimulatedFileTree& board() { return board_; }
  // The text of a program; null: the path is none.
  const std::string* program(std::string_view path) const {
    return path == kSimulatedNvpmodelProgram ? &nvpmodel_ : nullptr;
  }

  std::uint64_t open() {
    const std::lock_guard lock(mutex_);
    files_[++last_handle_] = std::make_shared<OpenFile>();
    return last_handle_;
  }
  std::shared_ptr<OpenFile> file(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    return files_.at(handle);
  }
  void close(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    files_.erase(handle);
  }

 private:
  SimulatedFileTree& board_;
  std::string nvpmodel_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<OpenFile>> files_;
  std::uint64_t last_handle_ = 0;
};

// ---- What the kernel asks. Each answers with a negative errno where something is refused. ----

Front& front() {
  return *static_cast<Front*>(::fuse_get_context()->private_data);
}

// The answer's errno, or 0. A board whose own file fails is told of on stderr, once for each call.
template <class T>
int error_of(const SimulatedFileTree::Answer<T>& answer) {
  if (!answer) {
    ::fuse_log(FUSE_LOG_ERR, "fulcrum-simboard: %s\n", answer.error().to_string().c_str());
    return EIO;
  }
  return *answer ? 0 : answer->error();
}

void* start(fuse_conn_info*, fuse_config* config) {
  // Nothing is remembered: the board's state says at every look what is there.
  config->entry_timeout = 0;
  config->attr_timeout = 0;
  config->negative_timeout = 0;
  config->direct_io = 1;
  return ::fuse_get_context()->private_data;
}

mode_t mode_of(const NodeInfo& info) {
  switch (info.kind) {
    case NodeInfo::Kind::directory:
      return S_IFDIR | 0555U;
    case NodeInfo::Kind::link:
      return S_IFLNK | 0777U;
    case NodeInfo::Kind::file:
      break;
  }
  return S_IFREG | (info.readable ? 0444U : 0U) | (info.writable ? 0200U : 0U);
}

int get_attributes(const char* path, struct stat* attributes, fuse_file_info*) {
  const auto info = front().board().sys_lstat(path);
  if (const int error = error_of(info); error != 0) return -error;
  attributes->st_mode = mode_of(**info);
  attributes->st_nlink = 1;  // of a directory, too: how many are in it is not known
  attributes->st_uid = ::geteuid();
  attributes->st_gid = ::getegid();
  if ((*info)->kind == NodeInfo::Kind::file) attributes->st_size = kAttributeSize;
  if (const auto* program = front().program(path); program != nullptr) {
    attributes->st_mode = S_IFREG | 0555U;
    attributes->st_size = static_cast<off_t>(program->size());
  }
  return 0;
}

int read_link(const char* path, char* target, std::size_t size) {
  const auto answer = front().board().sys_readlink(path);
  if (const int error = error_of(answer); error != 0) return -error;
  target[(*answer)->copy(target, size - 1)] = '\0';
  return 0;
}

int list_directory(const char* path, void* names, fuse_fill_dir_t fill, off_t, fuse_file_info*,
                   fuse_readdir_flags) {
  const auto answer = front().board().sys_list(path);
  if (const int error = error_of(answer); error != 0) return -error;
  for (const char* name : {".", ".."})
    fill(names, name, nullptr, 0, fuse_fill_dir_flags{});
  for (const auto& name : **answer)
    fill(names, name.c_str(), nullptr, 0, fuse_fill_dir_flags{});
  return 0;
}

// Sysfs asks the node's mode and not only the user's rights: root, too, may not open for writing what takes
// no writes. O_TRUNC changes nothing.
int open_file(const char* path, fuse_file_info* file) {
  const auto info = front().board().sys_lstat(path);
  if (const int error = error_of(info); error != 0) return -error;
  const int access = file->flags & O_ACCMODE;
  if (access != O_RDONLY && !(*info)->writable) return -EACCES;
  if (access != O_WRONLY && !(*info)->readable) return -EACCES;
  file->fh = front().open();
  return 0;
}

int close_file(const char*, fuse_file_info* file) {
  front().close(file->fh);
  return 0;
}

// While a fault blocks a node: its reader was sent a signal, or the mount is to end.
bool reader_gives_up() {
  fuse_session* session = ::fuse_get_session(::fuse_get_context()->fuse);
  return ::fuse_interrupted() != 0 || ::fuse_session_exited(session) != 0;
}

int read_file_at(const char* path, char* bytes, std::size_t size, off_t offset, fuse_file_info* file) {
  const auto open = front().file(file->fh);
  if (const auto* program = front().program(path); program != nullptr) {
    open->set_text(*program);
  } else if (offset == 0 || !open->has_text()) {
    auto text = front().board().sys_read(path, reader_gives_up);
    if (const int error = error_of(text); error != 0) return -error;
    open->set_text(std::move(**text));
  }
  return open->copy(bytes, size, offset);
}

// One write(2) is one store of the whole value, at whatever offset: sysfs does not look at it.
int write_file_at(const char* path, const char* bytes, std::size_t size, off_t, fuse_file_info*) {
  const int error = error_of(front().board().sys_write(path, {bytes, size}));
  return error == 0 ? static_cast<int>(size) : -error;
}

int truncate_file(const char* path, off_t, fuse_file_info*) {
  return -error_of(front().board().sys_lstat(path));
}

fuse_operations operations() {
  fuse_operations calls{};
  calls.init = start;
  calls.getattr = get_attributes;
  calls.readlink = read_link;
  calls.readdir = list_directory;
  calls.open = open_file;
  calls.release = close_file;
  calls.read = read_file_at;
  calls.write = write_file_at;
  calls.truncate = truncate_file;
  // What sysfs says to those who would make or remove something.
  calls.create = [](const char*, mode_t, fuse_file_info*) { return -EACCES; };
  calls.mknod = [](const char*, mode_t, dev_t) { return -EACCES; };
  calls.mkdir = [](const char*, mode_t) { return -EPERM; };
  calls.unlink = [](const char*) { return -EPERM; };
  calls.rmdir = [](const char*) { return -EPERM; };
  calls.symlink = [](const char*, const char*) { return -EPERM; };
  calls.link = [](const char*, const char*) { return -EPERM; };
  calls.rename = [](const char*, const char*, unsigned) { return -EPERM; };
  return calls;
}

// ---- The mount ----

Expected<std::string> checked_directory(const std::string& directory) {
  std::error_code error;
  const auto path = std::filesystem::canonical(directory, error);
  const bool empty = !error && std::filesystem::is_empty(path, error);
  if (error) {
    return fail_errno(error.value(), fmt::format("mounting on '{}'", directory),
                      error.value() == ENOTCONN ? "a mount that died is still there; fusermount3 -u ends it"
                                                : "it has to be an empty directory: mkdir");
  }
  if (!std::filesystem::is_directory(path, error) || !empty) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("mounting on '{}': not an empty directory", directory), "make one: mkdir");
  }
  return path.string();
}

Expected<void> check_device() {
  if (::access("/dev/fuse", R_OK | W_OK) == 0) return {};
  const int error = errno;
  return fail(ErrorCode::unsupported, "opening '/dev/fuse': " + std::generic_category().message(error),
              error == ENOENT ? "load the kernel's module: modprobe fuse; in a container: --device /dev/fuse"
                              : "mount as root, or give it back the mode that it has by default, 0666");
}

// The three signals that end a mount, kept from threads that are started meanwhile: libfuse has to see them
// on the thread that waits for the mount's end.
class EndSignalsBlocked {
 public:
  EndSignalsBlocked() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~EndSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignalsBlocked(const EndSignalsBlocked&) = delete;
  EndSignalsBlocked& operator=(const EndSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

struct DestroyFuse {
  void operator()(fuse* handle) const { ::fuse_destroy(handle); }
};
using Fuse = std::unique_ptr<fuse, DestroyFuse>;

Expected<Fuse> make_fuse(Front& served) {
  // The kernel checks the mode bits, and only root may let others in.
  std::string options = "default_permissions,subtype=fulcrum-simboard,fsname=" + served.board().board_name();
  if (::geteuid() == 0) options += ",allow_other";
  fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
  for (const char* argument : {"fulcrum-simboard", "-o", options.c_str()})
    ::fuse_opt_add_arg(&arguments, argument);
  const fuse_operations calls = operations();
  Fuse handle(::fuse_new(&arguments, &calls, sizeof calls, &served));
  ::fuse_opt_free_args(&arguments);
  if (!handle) return fail(ErrorCode::internal, "libfuse refused the mount's options");
  return handle;
}

int answer_until_unmounted(fuse* handle) {
#if FUSE_USE_VERSION >= 312
  const std::unique_ptr<fuse_loop_config, decltype(&::fuse_loop_cfg_destroy)> config(::fuse_loop_cfg_create(),
                                                                                     ::fuse_loop_cfg_destroy);
  ::fuse_loop_cfg_set_max_threads(config.get(), kMostThreads);
  ::fuse_loop_cfg_set_idle_threads(config.get(), kIdleThreads);
  return ::fuse_loop_mt(handle, config.get());
#else
  fuse_loop_config config{};
  config.max_idle_threads = kIdleThreads;
  return ::fuse_loop_mt(handle, &config);
#endif
}

// Handlers of the ending signals, and the mount, for as long as this lives.
class Mounted {
 public:
  static Expected<std::unique_ptr<Mounted>> mount(fuse* handle, const std::string& directory) {
    // The handlers first, so that no signal leaves a mount without a server behind.
    if (::fuse_set_signal_handlers(::fuse_get_session(handle)) != 0) {
      return fail(ErrorCode::internal, "libfuse could not install its signal handlers");
    }
    std::unique_ptr<Mounted> mounted(new Mounted(handle));
    if (::fuse_mount(handle, directory.c_str()) != 0) {
      return fail(ErrorCode::unsupported, fmt::format("mounting on '{}' was refused", directory),
                  "root may, and others through fusermount3 of the package fuse3; in a container: "
                  "--device /dev/fuse --cap-add SYS_ADMIN");
    }
    return mounted;
  }
  ~Mounted() {
    ::fuse_unmount(handle_);
    ::fuse_remove_signal_handlers(::fuse_get_session(handle_));
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

 private:
  explicit Mounted(fuse* handle) : handle_(handle) {}
  fuse* handle_;
};

// Looks at the mount, which waits until it answers or is gone.
std::thread tell_when_it_answers(const std::string& directory, const std::function<void()>& mounted) {
  const EndSignalsBlocked blocked;
  return std::thread([directory, mounted] {
    struct stat top {};
    if (::stat(directory.c_str(), &top) == 0) mounted();
  });
}

}  // namespace

Expected<void> serve_mount(SimulatedFileTree& board, const std::string& directory, std::string nvpmodel,
                           const std::function<void()>& mounted) {
  FULCRUM_TRY_ASSIGN(path, checked_directory(directory));
  FULCRUM_TRY(check_device());
  Front served(board, std::move(nvpmodel));
  FULCRUM_TRY_ASSIGN(handle, make_fuse(served));
  FULCRUM_TRY_ASSIGN(mount, Mounted::mount(handle.get(), path));
  std::thread teller = tell_when_it_answers(path, mounted);
  const int ended = answer_until_unmounted(handle.get());
  mount.reset();
  teller.join();
  // A signal ended it (its number), or it was unmounted (0).
  if (ended < 0) return fail_errno(-ended, fmt::format("serving '{}'", path));
  return {};
}

}  // namespace fulcrum
