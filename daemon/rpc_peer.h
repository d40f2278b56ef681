#pragma once
// A connected client as a method sees it: somebody to whom events can be sent, until it goes.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace fulcrum::daemon {

class RpcPeer {
 public:
  static constexpr std::size_t kMaxSubscriptions = 16;

  virtual ~RpcPeer() = default;

  // One line, without its newline. A peer that is gone, or too slow to be told, loses it.
  virtual void send_event(std::string line) = 0;

  // `end` is called once: when the client ends the subscription or goes.
  void add_subscription(std::uint64_t id, std::function<void()> end);
  bool end_subscription(std::uint64_t id);  // false: it has no such subscription
  void end_subscriptions();
  std::size_t subscriptions() const { return subscriptions_.size(); }

 private:
  std::map<std::uint64_t, std::function<void()>> subscriptions_;
};

}  // namespace fulcrum::daemon
