#pragma once
// A served control socket on a thread of its own, and a raw client for it.

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "common/unique_fd.h"
#include "daemon/rpc_methods.h"
#include "daemon/rpc_server.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/daemon/fake_control.h"

namespace fulcrum::test {

class ServerThread {
 public:
  using Options = daemon::RpcServer::Options;

  explicit ServerThread(const std::function<void(Options&)>& adjust = [](Options&) {});
  ~ServerThread();

  const std::string& path() const { return options_.socket_path; }

  // Runs on the server's thread, where the fake control and the server live, and waits for the result.
  template <class Function>
  auto on_thread(Function function) {
    std::packaged_task<decltype(function())()> task(std::move(function));
    auto result = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return result.get();
  }
  FakeControl& control() { return control_; }  // on the server's thread, or before any client
  std::size_t clients() {
    return on_thread([this] { return server_->clients(); });
  }
  void stop();
  void start();

  // Waits until `condition`, evaluated on the server's thread, holds.
  void wait_until(const std::function<bool()>& condition);

 private:
  TempDir dir_;
  Options options_;
  FakeControl control_;
  daemon::RpcDispatcher dispatcher_ = daemon::make_dispatcher(control_).value();
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::optional<daemon::RpcServer> server_;
  std::thread thread_;
};

class RawClient {
 public:
  explicit RawClient(const std::string& path);

  // False if the server does not take it all within the time that a test may wait.
  bool send(std::string_view bytes);
  // Sends what the socket takes at once; the number of bytes.
  std::size_t send_some(std::string_view bytes);
  void end_input();
  void disconnect() { fd_.reset(); }

  // A line without its newline; nothing at the end of the stream, or if none comes in a time that is far too
  // long.
  std::optional<std::string> line();
  Json json() { return Json::parse(line().value_or("null")); }
  bool at_end();  // waits for the end of the stream

 private:
  bool fill();

  UniqueFd fd_;
  std::string received_;
  bool ended_ = false;
};

}  // namespace fulcrum::test
