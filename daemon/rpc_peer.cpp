#include "daemon/rpc_peer.h"

#include <utility>

namespace fulcrum::daemon {

void RpcPeer::add_subscription(std::uint64_t id, std::function<void()> end) {
  subscriptions_.emplace(id, std::move(end));
}

bool RpcPeer::end_subscription(std::uint64_t id) {
  auto node = subscriptions_.extract(id);
  if (node.empty()) return false;
  node.mapped()();
  return true;
}

void RpcPeer::end_subscriptions() {
  const auto ending = std::exchange(subscriptions_, {});
  for (const auto& [id, end] : ending)
    end();
}

}  // namespace fulcrum::daemon
