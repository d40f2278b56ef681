#include "worker/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace fulcrum::worker {

namespace asio = boost::asio;
using boost::system::error_code;

Expected<std::unique_ptr<Connection>> Connection::open(asio::io_context& io, UniqueFd fd, Handlers handlers) {
  Socket socket(io);
  error_code error;
  socket.assign(asio::local::stream_protocol(), fd.get(), error);
  if (error) {
    return fail(ErrorCode::invalid_argument, "the connection to the daemon is no socket: " + error.message(),
                "fulcrumd starts this program; it is of no use alone");
  }
  fd.release();
  std::unique_ptr<Connection> connection(new Connection(io, std::move(socket), std::move(handlers)));
  connection->read();
  return connection;
}

Connection::Connection(asio::io_context& io, Socket socket, Handlers handlers)
    : io_(io), socket_(std::move(socket)), handlers_(std::move(handlers)), heartbeat_(io) {}

void Connection::read() {
  socket_.async_read_some(asio::buffer(buffer_), [this](error_code error, std::size_t n) {
    if (error) return lose("the daemon is gone: " + error.message());
    lines_.feed({buffer_.data(), n});
    handle_lines();
    if (!lost_) read();
  });
}

void Connection::handle_lines() {
  while (!lost_ && lines_.has_line()) {
    const auto line = lines_.pop_line();
    auto message = parse_to_worker(line.text);
    if (!message) return lose("the daemon sent what is no message: " + message.error().to_string());
    handlers_.message(std::move(*message));
  }
}

void Connection::lose(const std::string& why) {
  if (std::exchange(lost_, true)) return;
  heartbeat_.cancel();
  outgoing_.clear();
  handlers_.lost(why);
  if (flushed_) std::exchange(flushed_, nullptr)();
}

void Connection::send(FromWorker message) {
  asio::post(io_, [this, line = to_line(message)]() mutable { enqueue(std::move(line)); });
}

void Connection::enqueue(std::string line) {
  if (lost_) return;
  outgoing_.push_back(std::move(line));
  if (outgoing_.size() == 1) write();
}

void Connection::write() {
  asio::async_write(socket_, asio::buffer(outgoing_.front()), [this](error_code error, std::size_t) {
    if (lost_) return;
    if (error) return lose("the daemon is gone: " + error.message());
    outgoing_.pop_front();
    if (!outgoing_.empty()) return write();
    if (flushed_) std::exchange(flushed_, nullptr)();
  });
}

void Connection::start_heartbeat(std::chrono::milliseconds period) {
  if (lost_) return;
  enqueue(to_line(FromWorker(Heartbeat{})));
  heartbeat_.expires_after(period);
  heartbeat_.async_wait([this, period](error_code error) {
    if (!error) start_heartbeat(period);
  });
}

void Connection::flush(std::function<void()> done) {
  asio::post(io_, [this, done = std::move(done)]() mutable {
    if (lost_ || outgoing_.empty()) return done();
    flushed_ = std::move(done);
  });
}

}  // namespace fulcrum::worker
