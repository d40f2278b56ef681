#pragma once
// Where LibTorch's exceptions stop.

#include <c10/util/Exception.h>

#include <exception>
#include <string>
#include <utility>

#include "common/error.h"

namespace fulcrum::workloads {

// What `call()` returns; what it throws becomes an error "`doing`: <what>".
template <class Call>
auto torch_call(const std::string& doing, Call&& call) -> Expected<decltype(call())> {
  std::string what;
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (const c10::Error& e) {
    what = e.what_without_backtrace();
  } catch (const std::exception& e) {
    what = e.what();
  }
  return fail(ErrorCode::internal, doing + ": " + what);
}

}  // namespace fulcrum::workloads
