#include "cli/rpc_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace fulcrum::cli {

namespace {

std::string hint_for_connect(int error) {
  switch (error) {
    case ENOENT:
    case ECONNREFUSED:
      return "is fulcrumd running? See 'systemctl status fulcrumd'; another socket: --socket or "
             "FULCRUM_SOCKET";
    case EACCES:
      return "only members of its group may use it: 'sudo usermod -aG fulcrum $USER', then log in again";
    case EAGAIN:
      return "too many clients wait; try again";
    default:
      return {};
  }
}

ErrorCode code_of(int rpc_code) {
  return rpc_code == -32602 ? ErrorCode::invalid_argument : ErrorCode::unavailable;
}

std::string text_of(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

Error to_error(const Json& fault, int rpc_code) {
  return Error{
      code_of(rpc_code), text_of(fault, "message"), text_of(fault, "hint"), text_of(fault, "field"), {}};
}

// Whatever can be read from an error object; a peer may have left out anything.
Failure to_failure(const Json& error) {
  Failure failure;
  if (error.contains("code") && error.at("code").is_number_integer())
    failure.rpc_code = error.at("code").get<int>();
  const Json data = error.value("data", Json::object());
  const Json faults = data.is_object() ? data.value("faults", Json::array()) : Json::array();
  for (const auto& fault : faults) {
    if (fault.is_object()) failure.faults.push_back(to_error(fault, failure.rpc_code));
  }
  if (failure.faults.empty()) failure.faults.push_back(to_error(error, failure.rpc_code));
  return failure;
}

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Outcome<RpcClient> RpcClient::connect(const std::string& socket_path, Limits limits) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() >= sizeof address.sun_path) {
    return fails(FailureKind::usage, ErrorCode::invalid_argument,
                 fmt::format("'{}' cannot be the path of a socket", socket_path));
  }
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid() || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    return fails(FailureKind::unreachable, ErrorCode::unavailable,
                 fmt::format("cannot reach fulcrumd at '{}': {}", socket_path, errno_text(error)),
                 hint_for_connect(error));
  }
  return RpcClient(std::move(fd), socket_path, limits);
}

Outcome<Json> RpcClient::call(const std::string& method, const Json& params) {
  const Deadline deadline = SystemClock().now() + limits_.answer_timeout;
  const Json id = ++last_id_;
  const Json request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  if (auto sent = send(to_line(request) + "\n", deadline); !sent) return fails(std::move(sent).error());
  while (true) {
    auto message = receive(deadline);
    if (!message) return fails(std::move(message).error());
    if (message->contains("method")) {
      events_.push_back(message->value("params", Json::object()));
      continue;
    }
    const Json error = message->value("error", Json());
    const Json its_id = message->value("id", Json());
    if (error.is_object() && (its_id == id || its_id.is_null())) return fails(to_failure(error));
    if (its_id != id || !message->contains("result")) return nonsense(to_line(*message));
    return message->at("result");
  }
}

Outcome<Json> RpcClient::next_event(std::optional<Duration> timeout) {
  Deadline deadline;
  if (timeout) deadline = SystemClock().now() + *timeout;
  while (events_.empty()) {
    auto message = receive(deadline);
    if (!message) return fails(std::move(message).error());
    if (!message->contains("method")) return nonsense(to_line(*message));
    events_.push_back(message->value("params", Json::object()));
  }
  Json event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Outcome<void> RpcClient::send(const std::string& line, Deadline deadline) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      if (auto waited = wait(POLLOUT, deadline); !waited) return waited;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return {};  // it may have told why before it closed: see what there is to read
    } else if (errno != EINTR) {
      return lost(ErrorCode::io, errno_text(errno));
    }
  }
  return {};
}

Outcome<Json> RpcClient::receive(Deadline deadline) {
  while (!lines_.has_line()) {
    if (auto waited = wait(POLLIN, deadline); !waited) return fails(std::move(waited).error());
    char chunk[16384];
    const ssize_t n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
    if (n == 0) return lost(ErrorCode::unavailable, "it closed the connection");
    if (n > 0) {
      lines_.feed({chunk, static_cast<std::size_t>(n)});
    } else if (errno != EAGAIN && errno != EINTR) {
      return lost(ErrorCode::unavailable, errno_text(errno));
    }
    if (lines_.pending_bytes() > limits_.max_line_bytes) return nonsense("a line without end");
  }
  const auto line = lines_.pop_line();
  auto message = parse_json(line.text);
  if (line.too_long || !message || !message->is_object()) return nonsense(line.text);
  return *std::move(message);
}

Outcome<void> RpcClient::wait(short events, Deadline deadline) const {
  pollfd entry{fd_.get(), events, 0};
  while (true) {
    int timeout_ms = -1;
    if (deadline) timeout_ms = static_cast<int>(std::max(0.0, to_ms(*deadline - SystemClock().now()) + 1));
    const int ready = ::poll(&entry, 1, timeout_ms);
    if (ready > 0) return {};
    if (ready == 0) return lost(ErrorCode::timed_out, "it did not answer in time");
    if (errno != EINTR) return lost(ErrorCode::io, errno_text(errno));
  }
}

tl::unexpected<Failure> RpcClient::lost(ErrorCode code, const std::string& what) const {
  return fails(FailureKind::unreachable, code, fmt::format("talking to fulcrumd at '{}': {}", path_, what),
               "its log says more: 'journalctl -u fulcrumd'");
}

tl::unexpected<Failure> RpcClient::nonsense(const std::string& what) const {
  constexpr std::size_t kShown = 80;
  return fails(
      FailureKind::unreachable, ErrorCode::corrupt,
      fmt::format("what answers at '{}' does not speak as fulcrumd does: {}", path_, what.substr(0, kShown)),
      "is it another program, or another version?");
}

}  // namespace fulcrum::cli
