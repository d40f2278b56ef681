#pragma once
// Failure as a value. Every function that can fail returns Expected<T>; exceptions of libraries stop at the
// one function that calls them. A message says what was attempted, on which path or field, and what happened;
// the hint says what to do about it.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace fulcrum {

enum class ErrorCode {
  invalid_argument,   // the caller's input is wrong
  not_found,          // the named thing does not exist
  permission_denied,  // it exists, and we may not
  already_exists,
  busy,         // somebody else holds it
  unavailable,  // not now; the same call may succeed later
  timed_out,
  limit_exceeded,  // larger, longer or more than is allowed
  out_of_memory,
  device_lost,  // the accelerator has failed, and with it all that the process had on it
  unsupported,  // not on this board, or not in this version
  corrupt,      // stored data is not what was written
  io,           // the operating system refused
  internal,     // a defect of Fulcrum
};

std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string hint;                  // what the user can do; may be empty
  std::string field;                 // path in the input, such as /params/spec/batch_size; may be empty
  std::vector<std::string> context;  // what was being done, innermost first

  // "starting job 3: opening '/x': Permission denied (hint)" on one line.
  std::string to_string() const;
};

template <class T>
using Expected = tl::expected<T, Error>;
using Unexpected = tl::unexpected<Error>;

[[nodiscard]] Unexpected fail(ErrorCode code, std::string message, std::string hint = {});

// "`attempt`: <text of errno>", with the code that fits errno_value.
[[nodiscard]] Unexpected fail_errno(int errno_value, const std::string& attempt, std::string hint = {});

// The same error, with one more line of what was being done.
[[nodiscard]] Unexpected in_context(Error error, std::string doing);

}  // namespace fulcrum

#define FULCRUM_CONCAT_INNER(a, b) a##b
#define FULCRUM_CONCAT(a, b) FULCRUM_CONCAT_INNER(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): `variable` is a name to declare.

// Return the error of an Expected<void>, or go on.
#define FULCRUM_TRY(expression)                                        \
  do {                                                                 \
    if (auto fulcrum_result = (expression); !fulcrum_result) {         \
      return ::fulcrum::Unexpected(std::move(fulcrum_result).error()); \
    }                                                                  \
  } while (false)

// Return the error of an Expected<T>, or declare `variable` with its value.
#define FULCRUM_TRY_ASSIGN(variable, expression) \
  FULCRUM_TRY_ASSIGN_INNER(FULCRUM_CONCAT(fulcrum_result_, __LINE__), variable, expression)
#define FULCRUM_TRY_ASSIGN_INNER(result, variable, expression)          \
  auto result = (expression);                                           \
  if (!result) return ::fulcrum::Unexpected(std::move(result).error()); \
  auto variable = std::move(result).value()

// NOLINTEND(bugprone-macro-parentheses)
