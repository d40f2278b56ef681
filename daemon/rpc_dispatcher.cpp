#include "daemon/rpc_dispatcher.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "common/json_fields.h"
#include "common/suggest.h"
#include "daemon/rpc_error.h"

namespace fulcrum::daemon {

namespace {

// The id to answer under; null where it is missing or no id.
Json id_of(const Json& request) {
  if (!request.is_object() || !request.contains("id")) return nullptr;
  const Json& id = request.at("id");
  return id.is_string() || id.is_number() ? id : Json(nullptr);
}

// What makes `request` no request of JSON-RPC 2.0.
std::optional<Error> request_fault(const Json& request) {
  const auto fault = [](std::string message, std::string hint = {}, std::string field = {}) {
    return make_fault(ErrorCode::invalid_argument, std::move(message), std::move(hint), std::move(field));
  };
  if (!request.is_object()) return fault("a request must be an object");
  static const std::vector<std::string> members{"jsonrpc", "id", "method", "params"};
  for (const auto& [name, value] : request.items()) {
    if (std::find(members.begin(), members.end(), name) == members.end()) {
      return fault(fmt::format("unknown member '{}'", name), did_you_mean(name, members), pointer_step(name));
    }
  }
  if (request.value("jsonrpc", Json()) != "2.0") return fault("must be \"2.0\"", "", "/jsonrpc");
  if (!request.value("method", Json()).is_string())
    return fault("must be a text: a method's name", "", "/method");
  const Json id = request.value("id", Json());
  if (!id.is_string() && !id.is_number() && !id.is_null())
    return fault("must be a text or a number", "", "/id");
  return std::nullopt;
}

// Gathers the answers of a batch, in the order of its requests.
struct BatchAnswers {
  std::vector<std::optional<Json>> answers;
  std::size_t missing = 0;
  RpcDispatcher::Answer answer;

  void take(std::size_t index, std::optional<Json> one) {
    answers[index] = std::move(one);
    if (--missing > 0) return;
    Json all = Json::array();
    for (auto& each : answers) {
      if (each) all.push_back(*std::move(each));
    }
    answer(all.empty() ? std::nullopt : std::optional(to_line(all)));
  }
};

}  // namespace

Expected<void> RpcDispatcher::add(const MethodDescription& method, Handler handler) {
  auto schema = Schema::compile(method.params);
  if (!schema) return in_context(std::move(schema).error(), fmt::format("adding method {}", method.name));
  const bool added = methods_.try_emplace(method.name, Method{*std::move(schema), std::move(handler)}).second;
  if (!added) return fail(ErrorCode::already_exists, fmt::format("method {} exists already", method.name));
  return {};
}

void RpcDispatcher::handle(std::string_view line, const std::shared_ptr<RpcPeer>& peer, Answer answer) const {
  const auto request = parse_json(line);
  if (!request) return answer(to_line(rpc_failure(nullptr, to_rpc_error(kParseError, request.error()))));
  if (request->is_array()) return handle_batch(*request, peer, std::move(answer));
  handle_one(*request, peer, [answer = std::move(answer)](std::optional<Json> one) {
    answer(one ? std::optional(to_line(*one)) : std::nullopt);
  });
}

void RpcDispatcher::handle_batch(const Json& batch, const std::shared_ptr<RpcPeer>& peer,
                                 Answer answer) const {
  if (batch.empty() || batch.size() > kMaxBatch) {
    const auto error =
        make_fault(ErrorCode::limit_exceeded,
                   fmt::format("a batch must have from 1 to {} requests, has {}", kMaxBatch, batch.size()));
    return answer(to_line(rpc_failure(nullptr, to_rpc_error(kInvalidRequest, error))));
  }
  auto answers = std::make_shared<BatchAnswers>();
  answers->answers.resize(batch.size());
  answers->missing = batch.size();
  answers->answer = std::move(answer);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    handle_one(batch[i], peer, [answers, i](std::optional<Json> one) { answers->take(i, std::move(one)); });
  }
}

void RpcDispatcher::handle_one(const Json& request, const std::shared_ptr<RpcPeer>& peer, Done done) const {
  const Json id = id_of(request);
  if (const auto fault = request_fault(request)) {
    return done(rpc_failure(id, to_rpc_error(kInvalidRequest, *fault)));
  }
  const bool wants_answer = request.contains("id");
  const auto& name = request.at("method").get_ref<const std::string&>();
  const auto method = methods_.find(name);
  if (method == methods_.end()) {
    if (!wants_answer) return done(std::nullopt);
    return done(rpc_failure(id, to_rpc_error(kMethodNotFound, unknown_method(name))));
  }
  auto once = std::make_shared<Done>(std::move(done));
  const Reply reply = [once, id, wants_answer](Checked<Json> result) {
    const Done finish = std::exchange(*once, nullptr);
    if (!finish) return;
    if (!wants_answer) return finish(std::nullopt);
    finish(result ? rpc_success(id, *std::move(result)) : rpc_failure(id, to_rpc_error(result.error())));
  };
  call(method->second, request.value("params", Json::object()), peer, reply);
}

void RpcDispatcher::call(const Method& method, const Json& params, const std::shared_ptr<RpcPeer>& peer,
                         const Reply& reply) const {
  Faults faults = method.params.validate(params, "/params");
  if (!faults.empty()) return reply(faulty(std::move(faults)));
  try {
    method.handler(Call{params, peer}, reply);
  } catch (const std::exception& e) {  // one request's defect must not end the daemon
    reply(faulty(make_fault(ErrorCode::internal, fmt::format("the method threw: {}", e.what()))));
  }
}

Error RpcDispatcher::unknown_method(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [method, unused] : methods_)
    known.push_back(method);
  return make_fault(ErrorCode::not_found, fmt::format("unknown method '{}'", name), did_you_mean(name, known),
                    "/method");
}

}  // namespace fulcrum::daemon
