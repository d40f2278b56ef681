#pragma once
// One connection to the control socket. Runs on the one thread of its io_context.
//
// Nothing that a client does costs more than a fixed amount of memory: answers are held back by not reading
// on while they pile up; events cannot be held back, so a client that lets them pile up is dropped.

#include <array>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "common/clock.h"
#include "common/json_lines.h"
#include "common/logging.h"
#include "daemon/rpc_dispatcher.h"
#include "daemon/rpc_peer.h"

namespace fulcrum::daemon {

class RpcSession final : public RpcPeer, public std::enable_shared_from_this<RpcSession> {
 public:
  struct Limits {
    std::size_t max_line_bytes = 1 << 20;
    std::size_t max_in_flight = 32;  // requests that are not answered yet
    std::size_t write_queue_bytes = 1 << 20;
    Duration idle_timeout = std::chrono::minutes(5);
  };
  using Socket = boost::asio::local::stream_protocol::socket;
  using OnClosed = std::function<void(const std::shared_ptr<RpcSession>&)>;

  RpcSession(Socket socket, Limits limits, const RpcDispatcher& dispatcher, Logger logger,
             OnClosed on_closed);

  void start();
  void close();  // at once; answers that are not written yet are lost

  void send_event(std::string line) override;

 private:
  void read();
  void pump();
  void serve_lines();
  void serve(const LineSplitter::Line& line);
  void answer(std::optional<std::string> line);
  void enqueue(std::string line);
  void write();
  void await_idle();
  void await_hangup();

  bool holds_back() const {
    return in_flight_ >= limits_.max_in_flight || queued_bytes_ >= limits_.write_queue_bytes / 2;
  }
  bool watches() const { return subscriptions() > 0; }

  Socket socket_;
  boost::asio::steady_timer idle_timer_;
  Limits limits_;
  const RpcDispatcher& dispatcher_;
  Logger logger_;
  OnClosed on_closed_;

  LineSplitter lines_;
  std::array<char, 16384> buffer_{};
  std::deque<std::string> queue_;  // the front one is being written
  std::size_t queued_bytes_ = 0;
  std::size_t in_flight_ = 0;
  bool reading_ = false;
  bool pumping_ = false;
  bool input_ended_ = false;
  bool awaiting_hangup_ = false;
  bool dropped_ = false;
  bool closed_ = false;
  bool active_ = true;  // since the idle timer last looked
};

}  // namespace fulcrum::daemon
