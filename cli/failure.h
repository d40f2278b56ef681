#pragma once
// How a command of fulcrumctl ends badly.

#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace fulcrum::cli {

enum class FailureKind {
  refused,      // the daemon, or the state of things, says no: exit status 1
  usage,        // the command line makes no sense: 2
  unreachable,  // there is no daemon to talk to, or it does not talk sense: 3
};

struct Failure {
  FailureKind kind = FailureKind::refused;
  std::vector<Error> faults;  // none: what was printed says why
  int rpc_code = 0;           // the daemon's error code, if it refused
};

template <class T>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fails(FailureKind kind, ErrorCode code, std::string message,
                                     std::string hint = {}) {
  return tl::unexpected<Failure>(
      Failure{kind, {Error{code, std::move(message), std::move(hint), {}, {}}}, 0});
}
inline tl::unexpected<Failure> fails(Failure failure) {
  return tl::unexpected<Failure>(std::move(failure));
}
inline tl::unexpected<Failure> fails(FailureKind kind, Error error) {
  return tl::unexpected<Failure>(Failure{kind, {std::move(error)}, 0});
}

// "/params/spec/dataset/images" -> "dataset.images", as the user wrote it, for the prefix "/params/spec".
// False, and nothing changed, for a field that is not below `prefix`.
bool tell_field_as_written(Error& fault, const std::string& prefix);

}  // namespace fulcrum::cli
