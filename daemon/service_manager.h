#pragma once
// What systemd is told when it has started the daemon (Type=notify); nothing when it has not. See
// sd_notify(3).

#include <string>

namespace fulcrum::daemon {

class ServiceManager {
 public:
  void ready() const;
  void stopping() const;
  // One line for `systemctl status`.
  void status(const std::string& text) const;
};

}  // namespace fulcrum::daemon
