#include "tests/unit/daemon/server_thread.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace fulcrum::test {

namespace {

constexpr int kFarTooLongMs = 30000;

bool wait_for(int fd, short events) {
  pollfd entry{fd, events, 0};
  return ::poll(&entry, 1, kFarTooLongMs) == 1;
}

}  // namespace

ServerThread::ServerThread(const std::function<void(Options&)>& adjust) {
  options_.socket_path = dir_ / "control.sock";
  adjust(options_);
  thread_ = std::thread([this] { io_.run(); });
  start();
}

ServerThread::~ServerThread() {
  stop();
  work_.reset();
  thread_.join();
}

void ServerThread::start() {
  on_thread([this] {
    auto server = daemon::RpcServer::start(io_, options_, dispatcher_, make_null_logger());
    if (!server) throw std::runtime_error(server.error().to_string());
    server_.emplace(*std::move(server));
  });
}

void ServerThread::stop() {
  on_thread([this] { server_.reset(); });
}

void ServerThread::wait_until(const std::function<bool()>& condition) {
  while (!on_thread(condition))
    std::this_thread::yield();
}

RawClient::RawClient(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("connect failed: " + path);
  }
}

std::size_t RawClient::send_some(std::string_view bytes) {
  const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(fd_.get(), POLLOUT)) return false;
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN) return false;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void RawClient::end_input() {
  ::shutdown(fd_.get(), SHUT_WR);
}

bool RawClient::fill() {
  char chunk[65536];
  if (ended_ || !wait_for(fd_.get(), POLLIN)) return false;
  const ssize_t n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
  if (n > 0) received_.append(chunk, static_cast<std::size_t>(n));
  ended_ = n <= 0;
  return n > 0;
}

std::optional<std::string> RawClient::line() {
  while (true) {
    if (const auto end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (!fill()) return std::nullopt;
  }
}

bool RawClient::at_end() {
  while (fill()) {
  }
  return ended_;
}

}  // namespace fulcrum::test
