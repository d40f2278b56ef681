#include "daemon/rpc_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <utility>

#include "daemon/rpc_error.h"
#include "daemon/rpc_listener.h"

namespace fulcrum::daemon {

namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr auto kAcceptRetry = std::chrono::milliseconds(200);  // when the process is out of file descriptors

// Only root can give the socket away. Without the group it stays root's, which is safe and worth a word.
Expected<std::optional<gid_t>> group_of_socket(const std::string& name, spdlog::logger& logger) {
  if (name.empty() || ::geteuid() != 0) return std::nullopt;
  auto group = find_group(name);
  if (group) return *group;
  if (group.error().code != ErrorCode::not_found) return Unexpected(std::move(group).error());
  logger.warn("only root can use the control socket: {}", group.error().to_string());
  return std::nullopt;
}

}  // namespace

// Shared with the handlers in the io_context's queue, which may run after the server has been stopped.
class RpcServer::Impl : public std::enable_shared_from_this<RpcServer::Impl> {
 public:
  Impl(boost::asio::io_context& io, SocketFile file, Options options, const RpcDispatcher& dispatcher,
       Logger logger)
      : acceptor_(io, stream_protocol(), file.release_fd()),
        retry_timer_(io),
        file_(std::move(file)),
        options_(std::move(options)),
        dispatcher_(dispatcher),
        logger_(std::move(logger)) {}

  void accept();
  void stop();
  std::size_t clients() const { return sessions_.size(); }

 private:
  void welcome(stream_protocol::socket socket);
  void turn_away(stream_protocol::socket socket) const;
  void retry_later();

  stream_protocol::acceptor acceptor_;
  boost::asio::steady_timer retry_timer_;
  SocketFile file_;
  Options options_;
  const RpcDispatcher& dispatcher_;
  Logger logger_;
  std::set<std::shared_ptr<RpcSession>> sessions_;
  bool stopped_ = false;
};

void RpcServer::Impl::accept() {
  acceptor_.async_accept([self = shared_from_this()](error_code error, stream_protocol::socket socket) {
    if (self->stopped_) return;
    if (error) {
      self->logger_->warn("accepting a client: {}", error.message());
      return self->retry_later();
    }
    if (self->sessions_.size() < self->options_.max_clients) {
      self->welcome(std::move(socket));
    } else {
      self->turn_away(std::move(socket));
    }
    self->accept();
  });
}

void RpcServer::Impl::retry_later() {
  retry_timer_.expires_after(kAcceptRetry);
  retry_timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->stopped_) self->accept();
  });
}

void RpcServer::Impl::welcome(stream_protocol::socket socket) {
  auto session =
      std::make_shared<RpcSession>(std::move(socket), options_.limits, dispatcher_, logger_,
                                   [weak = weak_from_this()](const std::shared_ptr<RpcSession>& closed) {
                                     if (const auto self = weak.lock()) self->sessions_.erase(closed);
                                   });
  sessions_.insert(session);
  session->start();
}

void RpcServer::Impl::turn_away(stream_protocol::socket socket) const {
  const auto error = make_fault(
      ErrorCode::busy, fmt::format("{} clients are connected, which is the limit", options_.max_clients),
      "close one, or raise rpc.max_clients");
  const std::string line = to_line(rpc_failure(nullptr, to_rpc_error({error}))) + '\n';
  error_code ignored;  // a courtesy: the line fits into the empty buffer of a new socket, or is lost
  socket.non_blocking(true, ignored);
  socket.write_some(boost::asio::buffer(line), ignored);
}

void RpcServer::Impl::stop() {
  if (std::exchange(stopped_, true)) return;
  error_code ignored;  // nothing can be done about a socket that does not close
  acceptor_.close(ignored);
  retry_timer_.cancel();
  for (const auto& session : std::exchange(sessions_, {}))
    session->close();
  file_.remove();
}

RpcServer::Options RpcServer::Options::from(const DaemonConfig& config) {
  Options options;
  options.socket_path = config.control_socket();
  options.group = config.rpc.group;
  options.max_clients = static_cast<std::size_t>(config.rpc.max_clients);
  options.limits.max_line_bytes = static_cast<std::size_t>(config.rpc.max_line_bytes);
  options.limits.write_queue_bytes = static_cast<std::size_t>(config.rpc.write_queue_bytes);
  options.limits.idle_timeout = from_ms(config.rpc.idle_timeout_s * 1000);
  return options;
}

Expected<RpcServer> RpcServer::start(boost::asio::io_context& io, Options options,
                                     const RpcDispatcher& dispatcher, const Logger& logger) {
  FULCRUM_TRY_ASSIGN(group, group_of_socket(options.group, *logger));
  auto file = SocketFile::listen(options.socket_path, group);
  if (!file) return in_context(std::move(file).error(), "opening the control socket");
  try {
    auto impl = std::make_shared<Impl>(io, *std::move(file), std::move(options), dispatcher, logger);
    impl->accept();
    return RpcServer(std::move(impl));
  } catch (const boost::system::system_error& e) {
    return fail(ErrorCode::io, fmt::format("opening the control socket: {}", e.what()));
  }
}

RpcServer::RpcServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

RpcServer::~RpcServer() {
  if (impl_) stop();
}

void RpcServer::stop() {
  impl_->stop();
}
std::size_t RpcServer::clients() const {
  return impl_->clients();
}

}  // namespace fulcrum::daemon
