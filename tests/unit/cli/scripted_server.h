#pragma once
// A server that answers each line of one client with the next of its texts, whatever was asked.

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::test {

class ScriptedServer {
 public:
  // keeps_open: does not close the connection after the last answer, until this object goes.
  explicit ScriptedServer(std::string answer, bool keeps_open = false)
      : ScriptedServer(std::vector<std::string>{std::move(answer)}, keeps_open) {}
  explicit ScriptedServer(std::vector<std::string> answers, bool keeps_open = false)
      : answers_(std::move(answers)), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_.get(), 1) != 0) {
      throw std::runtime_error("listening failed: " + path_);
    }
    thread_ = std::thread([this, keeps_open] { serve(keeps_open); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  const std::string& path() const { return path_; }

  // The lines that were answered, or are about to be.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve(bool keeps_open) {
    UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
    for (const auto& answer : answers_) {
      if (!client.valid() || !take_line(client.get())) return;
      ::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
    char byte = 0;
    while (keeps_open && client.valid() && ::recv(client.get(), &byte, 1, 0) == 1) {
    }
  }

  bool take_line(int client) {
    std::string line;
    for (char byte = 0; ::recv(client, &byte, 1, 0) == 1;) {
      if (byte == '\n') {
        const std::lock_guard lock(mutex_);
        requests_.push_back(line);
        return true;
      }
      line += byte;
    }
    return false;
  }

  TempDir dir_;
  std::string path_ = dir_ / "s";
  std::vector<std::string> answers_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  UniqueFd listener_;
  std::thread thread_;
};

}  // namespace fulcrum::test
