#include "powermode/simulated_state_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "common/durable_file.h"

namespace fulcrum::powermode {

namespace {

constexpr std::size_t kMaxBytes = 1U << 20;

Unexpected corrupt(const std::string& path, const std::string& why) {
  return fail(ErrorCode::corrupt, fmt::format("'{}' is no state of a simulated board: {}", path, why),
              "delete it and make a new one: fulcrum-simboard --state FILE create");
}

Expected<UniqueFd> open_lock(const std::string& path) {
  const std::string lock_path = path + ".lock";
  UniqueFd fd(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.valid()) return fail_errno(errno, fmt::format("opening '{}'", lock_path));
  return fd;
}

class Locked {
 public:
  static Expected<Locked> take(int fd, const std::string& path) {
    while (::flock(fd, LOCK_EX) != 0) {
      if (errno != EINTR) return fail_errno(errno, fmt::format("locking '{}.lock'", path));
    }
    return Locked(fd);
  }
  Locked(Locked&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Locked& operator=(Locked&&) = delete;
  ~Locked() {
    if (fd_ >= 0) ::flock(fd_, LOCK_UN);
  }

 private:
  explicit Locked(int fd) : fd_(fd) {}
  int fd_;
};

std::string text_of(const SimulatedState& state) {
  return to_line(state.to_json()) + "\n";
}

}  // namespace

Expected<void> SimulatedStateFile::create(const std::string& path, const SimulatedState& state) {
  FULCRUM_TRY_ASSIGN(lock, open_lock(path));
  FULCRUM_TRY_ASSIGN(locked, Locked::take(lock.get(), path));
  if (::access(path.c_str(), F_OK) == 0) {
    return fail(ErrorCode::already_exists, fmt::format("'{}' exists", path),
                "delete it, or take another name");
  }
  return replace_file(path, text_of(state), Durability::atomic);
}

Expected<std::unique_ptr<SimulatedStateFile>> SimulatedStateFile::open(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) {
    return fail_errno(errno, fmt::format("opening the simulated board '{}'", path),
                      "make one: fulcrum-simboard --state FILE create");
  }
  FULCRUM_TRY_ASSIGN(lock, open_lock(path));
  std::unique_ptr<SimulatedStateFile> file(new SimulatedStateFile(path, std::move(lock)));
  FULCRUM_TRY(file->open_machine());
  FULCRUM_TRY(file->load());
  return file;
}

Expected<void> SimulatedStateFile::open_machine() {
  FULCRUM_TRY_ASSIGN(text, read_file(path_, kMaxBytes));
  const auto json = parse_json(text);
  if (!json) return corrupt(path_, json.error().message);
  if (!json->is_object() || !json->contains("board") || !json->at("board").is_string()) {
    return corrupt(path_, "it names no board");
  }
  auto machine = SimulatedMachine::of_board(json->at("board").get<std::string>());
  if (!machine) return corrupt(path_, machine.error().to_string());
  machine_ = std::move(*machine);
  return {};
}

Expected<const SimulatedState*> SimulatedStateFile::load() {
  FULCRUM_TRY_ASSIGN(text, read_file(path_, kMaxBytes));
  if (text == text_) return &state_;
  const auto json = parse_json(text);
  if (!json) return corrupt(path_, json.error().message);
  auto state = SimulatedState::from_json(*json, machine_->hardware());
  if (!state) return corrupt(path_, state.error().to_string());
  if (state->board != machine_->hardware().board) return corrupt(path_, "it has become another board");
  state_ = std::move(*state);
  text_ = std::move(text);
  return &state_;
}

Expected<void> SimulatedStateFile::update(const std::function<Expected<void>(SimulatedState&)>& change) {
  FULCRUM_TRY_ASSIGN(locked, Locked::take(lock_.get(), path_));
  FULCRUM_TRY_ASSIGN(current, load());
  SimulatedState changed = *current;
  FULCRUM_TRY(change(changed));
  std::string text = text_of(changed);
  FULCRUM_TRY(replace_file(path_, text, Durability::atomic));
  state_ = std::move(changed);
  text_ = std::move(text);
  return {};
}

}  // namespace fulcrum::powermode
