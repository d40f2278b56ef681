#pragma once
// Who a user of this machine is to the kernel.

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/error.h"

namespace fulcrum::daemon {

struct UserAccount {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // all of them
};

// not_found, with how to create it.
[[nodiscard]] Expected<UserAccount> find_account(const std::string& user);

}  // namespace fulcrum::daemon
