#include "common/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace fulcrum {
namespace {

Expected<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorCode::invalid_argument, "odd", "use an even number");
  return n / 2;
}

Expected<int> quarter(int n) {
  FULCRUM_TRY_ASSIGN(h, half(n));
  FULCRUM_TRY(half(h));
  return h / 2;
}

TEST(Error, TextHasContextFieldMessageAndHint) {
  Error error = fail(ErrorCode::io, "no space left", "free some").value();
  error.field = "/output";
  const Error told = in_context(in_context(error, "writing 'x'").value(), "job 3").value();
  EXPECT_EQ(told.to_string(), "job 3: writing 'x': /output: no space left (free some)");
}

TEST(Error, TryPassesTheValueOn) {
  EXPECT_EQ(quarter(8), 2);
}

TEST(Error, TryReturnsTheFirstFailure) {
  EXPECT_EQ(quarter(7).error().message, "odd");
  EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(Error, ErrnoBecomesTheFittingCode) {
  EXPECT_EQ(fail_errno(ENOENT, "opening 'x'").value().code, ErrorCode::not_found);
  EXPECT_EQ(fail_errno(EACCES, "opening 'x'").value().code, ErrorCode::permission_denied);
  EXPECT_EQ(fail_errno(ENOSPC, "writing 'x'").value().code, ErrorCode::io);
  EXPECT_EQ(fail_errno(ENOENT, "opening 'x'").value().message, "opening 'x': No such file or directory");
}

}  // namespace
}  // namespace fulcrum
