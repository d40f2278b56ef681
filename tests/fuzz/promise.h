#pragma once
// What a fuzz target holds the code to. A broken promise ends the process, so that whoever runs the target,
// our replay or libFuzzer, knows the input that broke it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/error.h"

namespace fulcrum::fuzz {

inline void promise(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// Whoever refuses says why.
inline void promise_reason(const Error& error) {
  promise(!error.message.empty(), "a refusal has a message");
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fulcrum::fuzz
