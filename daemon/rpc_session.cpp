#include "daemon/rpc_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "daemon/rpc_error.h"

namespace fulcrum::daemon {

namespace {

using boost::system::error_code;

bool is_blank(const std::string& line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; });
}

std::string too_long_answer(std::size_t max_bytes) {
  const auto error =
      make_fault(ErrorCode::limit_exceeded, fmt::format("the line is longer than {} bytes", max_bytes),
                 "the limit is rpc.max_line_bytes");
  return to_line(rpc_failure(nullptr, to_rpc_error(kParseError, error)));
}

}  // namespace

RpcSession::RpcSession(Socket socket, Limits limits, const RpcDispatcher& dispatcher, Logger logger,
                       OnClosed on_closed)
    : socket_(std::move(socket)),
      idle_timer_(socket_.get_executor()),
      limits_(limits),
      dispatcher_(dispatcher),
      logger_(std::move(logger)),
      on_closed_(std::move(on_closed)),
      lines_(limits.max_line_bytes) {}

void RpcSession::start() {
  await_idle();
  pump();
}

void RpcSession::close() {
  if (closed_) return;
  closed_ = true;
  error_code ignored;  // the connection is given up, whatever the kernel says
  socket_.close(ignored);
  idle_timer_.cancel();
  end_subscriptions();
  on_closed_(shared_from_this());
}

// Serves what has been read; then reads on, or ends. Called whenever something has changed.
void RpcSession::pump() {
  if (pumping_ || closed_) return;  // an answer that comes at once calls this from within
  pumping_ = true;
  serve_lines();
  pumping_ = false;
  if (closed_ || lines_.has_line()) return;
  if (!input_ended_) return read();
  if (in_flight_ > 0 || !queue_.empty()) return;
  if (watches()) return await_hangup();
  close();
}

void RpcSession::serve_lines() {
  while (!closed_ && lines_.has_line() && !holds_back())
    serve(lines_.pop_line());
}

void RpcSession::serve(const LineSplitter::Line& line) {
  active_ = true;
  if (line.too_long) return enqueue(too_long_answer(limits_.max_line_bytes));
  if (is_blank(line.text)) return;
  ++in_flight_;
  dispatcher_.handle(line.text, shared_from_this(),
                     [weak = weak_from_this()](std::optional<std::string> text) {
                       if (const auto self = std::static_pointer_cast<RpcSession>(weak.lock())) {
                         self->answer(std::move(text));
                       }
                     });
}

void RpcSession::answer(std::optional<std::string> line) {
  if (closed_) return;
  --in_flight_;
  active_ = true;
  if (line) enqueue(*std::move(line));
  pump();
}

void RpcSession::send_event(std::string line) {
  if (closed_ || dropped_) return;
  if (queued_bytes_ + line.size() <= limits_.write_queue_bytes) return enqueue(std::move(line));
  dropped_ = true;
  logger_->warn("a client that watches does not read: {} bytes wait for it; it is disconnected",
                queued_bytes_);
  // Later, because whoever sends the event is in the midst of its subscriptions.
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

void RpcSession::enqueue(std::string line) {
  line += '\n';
  queued_bytes_ += line.size();
  queue_.push_back(std::move(line));
  if (queue_.size() == 1) write();
}

void RpcSession::write() {
  boost::asio::async_write(socket_, boost::asio::buffer(queue_.front()),
                           [self = shared_from_this()](error_code error, std::size_t) {
                             if (self->closed_) return;
                             if (error) return self->close();
                             self->active_ = true;
                             self->queued_bytes_ -= self->queue_.front().size();
                             self->queue_.pop_front();
                             if (!self->queue_.empty()) self->write();
                             self->pump();
                           });
}

void RpcSession::read() {
  if (reading_) return;
  reading_ = true;
  socket_.async_read_some(boost::asio::buffer(buffer_),
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            if (self->closed_) return;
                            self->reading_ = false;
                            if (error && error != boost::asio::error::eof) return self->close();
                            self->lines_.feed({self->buffer_.data(), bytes});
                            self->input_ended_ = error == boost::asio::error::eof;
                            if (self->input_ended_ && self->lines_.pending_bytes() > 0)
                              self->lines_.feed("\n");
                            self->pump();
                          });
}

// Closes a connection on which, for a whole timeout, no request came, no answer was awaited and nothing was
// written.
void RpcSession::await_idle() {
  active_ = false;
  idle_timer_.expires_after(limits_.idle_timeout);
  idle_timer_.async_wait([self = shared_from_this()](error_code error) {
    if (error || self->closed_) return;
    if (!self->active_ && !self->watches() && self->in_flight_ == 0) return self->close();
    self->await_idle();
  });
}

// A watcher that has ended its own side may read for as long as it likes; only its going tells that it is
// done.
void RpcSession::await_hangup() {
  if (std::exchange(awaiting_hangup_, true)) return;
  socket_.async_wait(Socket::wait_error, [self = shared_from_this()](error_code) { self->close(); });
}

}  // namespace fulcrum::daemon
