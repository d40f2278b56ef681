#pragma once
// Serves JSON-RPC on the control socket. Runs on the one thread of the given io_context.

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/logging.h"
#include "daemon/config.h"
#include "daemon/rpc_dispatcher.h"
#include "daemon/rpc_session.h"

namespace fulcrum::daemon {

class RpcServer {
 public:
  struct Options {
    std::string socket_path;
    std::string group;
    std::size_t max_clients = 64;
    RpcSession::Limits limits;

    static Options from(const DaemonConfig& config);
  };

  // Accepts from now on. The dispatcher, and what its methods use, must live until stop() has returned.
  [[nodiscard]] static Expected<RpcServer> start(boost::asio::io_context& io, Options options,
                                                 const RpcDispatcher& dispatcher, const Logger& logger);

  RpcServer(RpcServer&&) noexcept = default;
  RpcServer& operator=(RpcServer&&) = delete;
  ~RpcServer();

  // Ends all connections and removes the socket. What is still in the io_context's queue does no harm
  // afterwards.
  void stop();
  std::size_t clients() const;

 private:
  class Impl;
  explicit RpcServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fulcrum::daemon
