#pragma once
// JSON-RPC 2.0 without a transport: a line with a request or a batch goes in, a line with the answer comes
// out, at once or later. Parameters are checked against the method's schema before its handler sees them.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/json_text.h"
#include "daemon/faults.h"
#include "daemon/method_table.h"
#include "daemon/rpc_peer.h"
#include "daemon/schema.h"

namespace fulcrum::daemon {

class RpcDispatcher {
 public:
  static constexpr std::size_t kMaxBatch = 100;

  // To be called once, now or later; further calls do nothing. The peer may be gone by then.
  using Reply = std::function<void(Checked<Json>)>;
  struct Call {
    const Json& params;  // valid; an empty object if the request had none. Only while the handler runs.
    std::shared_ptr<RpcPeer> peer;
  };
  using Handler = std::function<void(const Call& call, Reply reply)>;

  // `already_exists` for a second method of that name.
  [[nodiscard]] Expected<void> add(const MethodDescription& method, Handler handler);

  // Called once for each line, with its answer; with none if nobody asked for one (notifications).
  using Answer = std::function<void(std::optional<std::string> line)>;
  void handle(std::string_view line, const std::shared_ptr<RpcPeer>& peer, Answer answer) const;

 private:
  struct Method {
    Schema params;
    Handler handler;
  };
  using Done = std::function<void(std::optional<Json>)>;

  void handle_batch(const Json& batch, const std::shared_ptr<RpcPeer>& peer, Answer answer) const;
  void handle_one(const Json& request, const std::shared_ptr<RpcPeer>& peer, Done done) const;
  void call(const Method& method, const Json& params, const std::shared_ptr<RpcPeer>& peer,
            const Reply& reply) const;
  Error unknown_method(const std::string& name) const;

  std::map<std::string, Method> methods_;
};

}  // namespace fulcrum::daemon
