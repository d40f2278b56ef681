#pragma once
// Binds every method of the table to what it does.

#include "common/error.h"
#include "daemon/control.h"
#include "daemon/rpc_dispatcher.h"

namespace fulcrum::daemon {

// `control` must outlive the dispatcher and every peer that has subscriptions.
[[nodiscard]] Expected<RpcDispatcher> make_dispatcher(Control& control);

}  // namespace fulcrum::daemon
