#include "daemon/rpc_error.h"

#include <fmt/format.h>

#include <array>

namespace fulcrum::daemon {

namespace {

struct CodeRow {
  ErrorCode code;
  int rpc_code;
  const char* meaning;
};

constexpr std::array<CodeRow, 14> kCodes{{
    {ErrorCode::invalid_argument, kInvalidParams, "the parameters are wrong; `data.faults` has all that is"},
    {ErrorCode::internal, kInternalError, "a defect of Fulcrum"},
    {ErrorCode::not_found, -32000, "the named thing does not exist"},
    {ErrorCode::permission_denied, -32001, "it exists, and the daemon or its worker may not use it"},
    {ErrorCode::already_exists, -32002, "something else has that name or token"},
    {ErrorCode::busy, -32003, "somebody else holds it"},
    {ErrorCode::unavailable, -32004, "not now; the same call may succeed later"},
    {ErrorCode::timed_out, -32005, "it took too long"},
    {ErrorCode::limit_exceeded, -32006, "larger, longer or more than is allowed"},
    {ErrorCode::unsupported, -32007, "not on this board, or not in this version"},
    {ErrorCode::corrupt, -32008, "stored data is not what was written"},
    {ErrorCode::out_of_memory, -32010, "the board's memory, or the GPU's, does not suffice"},
    {ErrorCode::device_lost, -32011, "the GPU has failed, and with it all that the worker had on it"},
    {ErrorCode::io, -32009, "the operating system refused"},
}};

struct ProtocolRow {
  int rpc_code;
  const char* reason;
  const char* meaning;
};

constexpr std::array<ProtocolRow, 3> kProtocolCodes{{
    {kParseError, "parse_error", "the line is not JSON, or too long"},
    {kInvalidRequest, "invalid_request", "it is no request of JSON-RPC 2.0, or a batch that is too large"},
    {kMethodNotFound, "method_not_found", "there is no such method"},
}};

std::string reason_of(ErrorCode code) {
  std::string name(to_string(code));
  for (char& c : name) {
    if (c == ' ' || c == '/') c = '_';
  }
  return name;
}

// The error's text without its field and hint, which have places of their own.
std::string message_of(const Error& error) {
  Error bare = error;
  bare.field.clear();
  bare.hint.clear();
  return bare.to_string();
}

Json to_fault(const Error& error) {
  Json fault{{"message", message_of(error)}};
  if (!error.field.empty()) fault["field"] = error.field;
  if (!error.hint.empty()) fault["hint"] = error.hint;
  return fault;
}

}  // namespace

int rpc_code(ErrorCode code) {
  for (const auto& row : kCodes) {
    if (row.code == code) return row.rpc_code;
  }
  return kInternalError;
}

Json to_rpc_error(const Faults& faults) {
  if (faults.empty())
    return to_rpc_error(kInternalError, make_fault(ErrorCode::internal, "failed without a reason"));
  const Error& first = faults.front();
  Json data = to_fault(first);
  data["reason"] = reason_of(first.code);
  data["faults"] = Json::array();
  for (const auto& fault : faults)
    data["faults"].push_back(to_fault(fault));

  std::string message = first.field.empty() ? message_of(first) : first.field + ": " + message_of(first);
  data.erase("message");
  if (faults.size() > 1) message += fmt::format(" (and {} more)", faults.size() - 1);
  return {{"code", rpc_code(first.code)}, {"message", std::move(message)}, {"data", std::move(data)}};
}

Json to_rpc_error(int code, const Error& error) {
  Json json = to_rpc_error(Faults{error});
  json["code"] = code;
  for (const auto& row : kProtocolCodes) {
    if (row.rpc_code == code) json["data"]["reason"] = row.reason;
  }
  return json;
}

Json rpc_failure(const Json& id, Json error) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

Json rpc_success(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

std::string render_error_codes() {
  std::string rows;
  for (const auto& row : kProtocolCodes) {
    rows += fmt::format("| {} | `{}` | {} |\n", row.rpc_code, row.reason, row.meaning);
  }
  for (const auto& row : kCodes) {
    rows += fmt::format("| {} | `{}` | {} |\n", row.rpc_code, reason_of(row.code), row.meaning);
  }
  return rows;
}

}  // namespace fulcrum::daemon
