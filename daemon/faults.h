#pragma once
// Everything that is wrong with an input, told at once.

#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace fulcrum::daemon {

// All faults of a request or file; never empty when it stands for a failure.
using Faults = std::vector<Error>;
template <class T>
using Checked = tl::expected<T, Faults>;

inline Error make_fault(ErrorCode code, std::string message, std::string hint = {}, std::string field = {}) {
  return Error{code, std::move(message), std::move(hint), std::move(field), {}};
}

inline tl::unexpected<Faults> faulty(Error error) {
  return tl::unexpected<Faults>(Faults{std::move(error)});
}
inline tl::unexpected<Faults> faulty(Faults faults) {
  return tl::unexpected<Faults>(std::move(faults));
}

}  // namespace fulcrum::daemon
