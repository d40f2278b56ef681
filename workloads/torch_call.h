#pragma once
// Where LibTorch's exceptions stop.

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "common/error.h"

namespace fulcrum::workloads {

// out_of_memory, device_lost, or internal for anything else. LibTorch's exceptions say it in words.
ErrorCode code_of(const std::exception& thrown);

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
    return fail(code_of(e), doing + ": " + reason_of(e));
  }
}

// Gives back what LibTorch and the C library keep for later.
void free_cached_memory();

// The same, but where memory runs out, what is cached is given back and the call is made once more, if
// `may_retry()`. `retried` says whether it was.
template <class Call, class MayRetry>
auto torch_call_retrying(const std::string& doing, bool& retried, Call&& call, MayRetry&& may_retry)
    -> Expected<decltype(call())> {
  auto result = torch_call(doing, call);
  retried = !result && result.error().code == ErrorCode::out_of_memory && may_retry();
  if (!retried) return result;
  free_cached_memory();
  return torch_call(doing, call);
}

}  // namespace fulcrum::workloads
