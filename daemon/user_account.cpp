#include "daemon/user_account.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

namespace fulcrum::daemon {

Expected<UserAccount> find_account(const std::string& user) {
  std::vector<char> buffer(16384);
  struct passwd entry {};
  struct passwd* found = nullptr;
  const int error = ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (error != 0) return fail_errno(error, fmt::format("looking up user '{}'", user));
  if (found == nullptr) {
    return fail(
        ErrorCode::not_found, fmt::format("the worker's user '{}' does not exist", user),
        fmt::format("create it with 'useradd --system --no-create-home {}', or set worker.user", user));
  }
  UserAccount account{entry.pw_uid, entry.pw_gid, std::vector<gid_t>(64)};
  auto count = static_cast<int>(account.groups.size());
  if (::getgrouplist(user.c_str(), entry.pw_gid, account.groups.data(), &count) < 0) {
    account.groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(user.c_str(), entry.pw_gid, account.groups.data(), &count);
  }
  account.groups.resize(static_cast<std::size_t>(count));
  return account;
}

}  // namespace fulcrum::daemon
