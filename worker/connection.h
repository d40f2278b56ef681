#pragma once
// The worker's end of the socketpair: messages out from any thread without waiting, messages in on the
// io_context's thread, and a heartbeat for as long as that thread runs.

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "common/json_lines.h"
#include "common/unique_fd.h"
#include "worker/protocol.h"

namespace fulcrum::worker {

class Connection {
 public:
  struct Handlers {
    std::function<void(ToWorker)> message;
    // The daemon is gone or sends what is no message; why. Nothing comes after it.
    std::function<void(const std::string& why)> lost;
  };

  // fd: a connected stream socket. not_found and the like if it is none.
  [[nodiscard]] static Expected<std::unique_ptr<Connection>> open(boost::asio::io_context& io, UniqueFd fd,
                                                                  Handlers handlers);

  void send(FromWorker message);  // from any thread; dropped once the connection is lost
  void start_heartbeat(std::chrono::milliseconds period);
  // Calls `done` once everything sent before is on its way.
  void flush(std::function<void()> done);

 private:
  using Socket = boost::asio::local::stream_protocol::socket;

  Connection(boost::asio::io_context& io, Socket socket, Handlers handlers);
  void read();
  void handle_lines();
  void enqueue(std::string line);
  void write();
  void lose(const std::string& why);

  boost::asio::io_context& io_;
  Socket socket_;
  Handlers handlers_;
  boost::asio::steady_timer heartbeat_;
  LineSplitter lines_{kMaxMessageBytes};
  std::array<char, 65536> buffer_{};
  std::deque<std::string> outgoing_;
  std::function<void()> flushed_;
  bool lost_ = false;
};

}  // namespace fulcrum::worker
