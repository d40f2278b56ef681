#pragma once
// JSON-RPC 2.0 error objects, and how Fulcrum's errors become them.

#include <string>

#include "common/error.h"
#include "common/json_text.h"
#include "daemon/faults.h"

namespace fulcrum::daemon {

// Of the specification. Fulcrum's own follow from ErrorCode, see rpc_code.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

int rpc_code(ErrorCode code);

// {"code", "message", "data": {"reason", "field"?, "hint"?, "faults": [{"message", "field"?, "hint"?},
// ...]}}: code, message, reason, field and hint are those of the first fault.
Json to_rpc_error(const Faults& faults);
// The same, under a code of the specification.
Json to_rpc_error(int code, const Error& error);

// A whole answer. `id` null where the request's is not known.
Json rpc_failure(const Json& id, Json error);
Json rpc_success(const Json& id, Json result);

// The table of codes, as Markdown rows.
std::string render_error_codes();

}  // namespace fulcrum::daemon
