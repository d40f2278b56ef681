#include "daemon/rpc_methods.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <boost/version.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/version.h"
#include "daemon/method_table.h"

namespace fulcrum::daemon {

namespace {

using Call = RpcDispatcher::Call;
using Reply = RpcDispatcher::Reply;
using Handlers = std::map<std::string, RpcDispatcher::Handler>;

constexpr int kApiVersion = 1;

Checked<Json> checked(Expected<Json> result) {
  if (result) return *std::move(result);
  return faulty(std::move(result).error());
}

JobId job_id(const Call& call) {
  return call.params.at("id").get<JobId>();
}

Json version() {
  return {{"fulcrum", kVersion},
          {"api", kApiVersion},
          {"libraries",
           {{"boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                                  BOOST_VERSION % 100)},
            {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                          NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
            {"sqlite", sqlite3_libversion()}}}};
}

Json describe(const std::vector<MethodDescription>& table) {
  Json methods = Json::array();
  for (const auto& method : table)
    methods.push_back(method.to_json());
  return {{"methods", std::move(methods)}};
}

void submit(Control& control, const Call& call, const Reply& reply) {
  SubmitRequest request;
  request.spec = call.params.at("spec");
  if (call.params.contains("client_token"))
    request.client_token = call.params.at("client_token").get<std::string>();
  request.dry_run = call.params.value("dry_run", false);
  control.submit(std::move(request), [reply](Checked<Json> result) {
    if (!result) {
      for (auto& fault : result.error()) {
        if (!fault.field.empty()) fault.field.insert(0, "/params/spec");
      }
    }
    reply(std::move(result));
  });
}

// The events of one subscription. Those that come before the client knows its number wait.
class EventStream {
 public:
  explicit EventStream(std::weak_ptr<RpcPeer> peer) : peer_(std::move(peer)) {}

  void push(const Json& event) {
    if (id_) return send(event);
    early_.push_back(event);
  }

  void begin(Control::SubscriptionId id) {
    id_ = id;
    for (const auto& event : std::exchange(early_, {}))
      send(event);
  }

 private:
  void send(Json event) {
    const auto peer = peer_.lock();
    if (!peer) return;
    event["subscription"] = *id_;
    peer->send_event(to_line({{"jsonrpc", "2.0"}, {"method", "job.event"}, {"params", std::move(event)}}));
  }

  std::weak_ptr<RpcPeer> peer_;
  std::optional<Control::SubscriptionId> id_;
  std::vector<Json> early_;
};

void watch(Control& control, const Call& call, const Reply& reply) {
  if (call.peer->subscriptions() >= RpcPeer::kMaxSubscriptions) {
    return reply(faulty(
        make_fault(ErrorCode::limit_exceeded,
                   fmt::format("a connection has at most {} subscriptions", RpcPeer::kMaxSubscriptions),
                   "use job.unwatch")));
  }
  std::optional<JobId> job;
  if (call.params.contains("id")) job = job_id(call);
  auto stream = std::make_shared<EventStream>(call.peer);
  auto id = control.watch(job, [stream](const Json& event) { stream->push(event); });
  if (!id) return reply(faulty(std::move(id).error()));
  call.peer->add_subscription(*id, [&control, id = *id] { control.unwatch(id); });
  reply(Json{{"subscription", *id}});
  stream->begin(*id);
}

void unwatch(const Call& call, const Reply& reply) {
  const auto id = call.params.at("subscription").get<Control::SubscriptionId>();
  if (call.peer->end_subscription(id)) return reply(Json::object());
  reply(faulty(make_fault(ErrorCode::not_found, fmt::format("this connection has no subscription {}", id), "",
                          "/params/subscription")));
}

std::optional<std::string> workload(const Call& call) {
  if (!call.params.contains("workload")) return std::nullopt;
  return call.params.at("workload").get<std::string>();
}

std::optional<double> power_w(const Call& call) {
  const auto& value = call.params.at("power_w");
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

void import_profiles(Control& control, const Call& call, const Reply& reply) {
  auto result = control.import_profiles(call.params.at("document"), call.params.value("equal_board", false));
  if (!result) {
    for (auto& fault : result.error())
      fault.field.insert(0, "/params/document");
  }
  reply(std::move(result));
}

void add_profile_handlers(Control& control, Handlers& handlers) {
  handlers["profile.list"] = [&control](const Call& call, const Reply& reply) {
    reply(checked(control.list_profiles(workload(call))));
  };
  handlers["profile.explore"] = [&control](const Call& call, const Reply& reply) {
    reply(checked(control.explore_profiles(call.params.at("probes").get<int>())));
  };
  handlers["profile.forget"] = [&control](const Call& call, const Reply& reply) {
    reply(checked(control.forget_profiles(workload(call))));
  };
  handlers["profile.export"] = [&control](const Call& call, const Reply& reply) {
    reply(checked(control.export_profiles(workload(call), call.params.value("offset", std::size_t{0}),
                                          call.params.value("limit", std::size_t{500}))));
  };
  handlers["profile.import"] = [&control](const Call& call, const Reply& reply) {
    import_profiles(control, call, reply);
  };
}

std::optional<std::uint64_t> number_of(const Call& call, const char* name) {
  if (!call.params.contains(name)) return std::nullopt;
  return call.params.at(name).get<std::uint64_t>();
}

void add_budget_handlers(Control& control, Handlers& handlers) {
  handlers["trace.get"] = [&control](const Call& call, const Reply& reply) {
    reply(control.trace(call.params.value("seconds", 10.0), number_of(call, "from"), number_of(call, "to")));
  };
  handlers["budget.get"] = [&control](const Call&, const Reply& reply) { reply(control.budget()); };
  handlers["budget.set"] = [&control](const Call& call, const Reply& reply) {
    reply(checked(control.set_budget(power_w(call))));
  };
  handlers["budget.reset"] = [&control](const Call&, const Reply& reply) {
    reply(checked(control.reset_budget()));
  };
}

Handlers make_handlers(Control& control, const std::vector<MethodDescription>& table) {
  Handlers handlers{
      {"rpc.describe", [text = describe(table)](const Call&, const Reply& reply) { reply(text); }},
      {"system.version", [](const Call&, const Reply& reply) { reply(version()); }},
      {"job.submit", [&control](const Call& call, const Reply& reply) { submit(control, call, reply); }},
      {"job.list", [&control](const Call&, const Reply& reply) { reply(control.jobs()); }},
      {"job.get",
       [&control](const Call& call, const Reply& reply) { reply(checked(control.job(job_id(call)))); }},
      {"job.cancel",
       [&control](const Call& call, const Reply& reply) { reply(checked(control.cancel(job_id(call)))); }},
      {"job.watch", [&control](const Call& call, const Reply& reply) { watch(control, call, reply); }},
      {"job.unwatch", [](const Call& call, const Reply& reply) { unwatch(call, reply); }},
      {"job.result",
       [&control](const Call& call, const Reply& reply) { reply(checked(control.result(job_id(call)))); }},
      {"plan.get", [&control](const Call&, const Reply& reply) { reply(control.plan()); }},
      {"plan.explain", [&control](const Call&, const Reply& reply) { reply(control.explain()); }},
      {"board.get", [&control](const Call&, const Reply& reply) { reply(checked(control.board())); }},
      {"board.modes", [&control](const Call&, const Reply& reply) { reply(checked(control.board_modes())); }},
      {"board.sensors", [&control](const Call&, const Reply& reply) { reply(control.board_sensors()); }},
      {"board.doctor",
       [&control](const Call&, const Reply& reply) { reply(checked(control.board_report())); }},
  };
  add_budget_handlers(control, handlers);
  add_profile_handlers(control, handlers);
  return handlers;
}

}  // namespace

Expected<RpcDispatcher> make_dispatcher(Control& control) {
  FULCRUM_TRY_ASSIGN(table, load_method_table());
  Handlers handlers = make_handlers(control, table);
  RpcDispatcher dispatcher;
  for (const auto& method : table) {
    auto handler = handlers.extract(method.name);
    if (handler.empty()) {
      return fail(ErrorCode::internal, fmt::format("method {} is declared and does nothing", method.name));
    }
    FULCRUM_TRY(dispatcher.add(method, std::move(handler.mapped())));
  }
  if (!handlers.empty()) {
    return fail(ErrorCode::internal, fmt::format("method {} is not declared", handlers.begin()->first));
  }
  return dispatcher;
}

}  // namespace fulcrum::daemon
