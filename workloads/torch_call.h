#pragma once
// Where LibTorch's exceptions stop.

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "common/error.h"

namespace fulcrum::workloads {

// What went wrong, without a backtrace of C++ or the listing of a TorchScript module's code.
std::string reason_of(const std::exception& thrown);

// What `call()` returns; what it throws becomes an error "`doing`: <what>".
template <class Call>
auto torch_call(const std::string& doing, Call&& call) -> Expected<decltype(call())> {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (const std::exception& e) {
    return fail(ErrorCode::internal, doing + ": " + reason_of(e));
  }
}

}  // namespace fulcrum::workloads
