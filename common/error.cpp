#include "common/error.h"

#include <cerrno>
#include <system_error>

namespace fulcrum {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::permission_denied:
      return "permission denied";
    case ErrorCode::already_exists:
      return "already exists";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::timed_out:
      return "timed out";
    case ErrorCode::limit_exceeded:
      return "limit exceeded";
    case ErrorCode::out_of_memory:
      return "out of memory";
    case ErrorCode::device_lost:
      return "device lost";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::io:
      return "input/output error";
    case ErrorCode::internal:
      return "internal error";
  }
  return "unknown error";
}

std::string Error::to_string() const {
  std::string text;
  for (auto it = context.rbegin(); it != context.rend(); ++it)
    text += *it + ": ";
  if (!field.empty()) text += field + ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

Unexpected fail(ErrorCode code, std::string message, std::string hint) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return Unexpected(std::move(error));
}

namespace {

ErrorCode code_of_errno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
      return ErrorCode::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::permission_denied;
    case EEXIST:
      return ErrorCode::already_exists;
    case EBUSY:
      return ErrorCode::busy;
    case EAGAIN:
    case EINTR:
      return ErrorCode::unavailable;
    case ETIMEDOUT:
      return ErrorCode::timed_out;
    case EINVAL:
    case ERANGE:
      return ErrorCode::invalid_argument;
    case ENOMEM:
      return ErrorCode::out_of_memory;
    case ENAMETOOLONG:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return ErrorCode::limit_exceeded;
    default:
      return ErrorCode::io;
  }
}

}  // namespace

Unexpected fail_errno(int errno_value, const std::string& attempt, std::string hint) {
  return fail(code_of_errno(errno_value), attempt + ": " + std::generic_category().message(errno_value),
              std::move(hint));
}

Unexpected in_context(Error error, std::string doing) {
  error.context.push_back(std::move(doing));
  return Unexpected(std::move(error));
}

}  // namespace fulcrum
