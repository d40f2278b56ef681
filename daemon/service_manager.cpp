#include "daemon/service_manager.h"

#include <systemd/sd-daemon.h>

namespace fulcrum::daemon {

// Without NOTIFY_SOCKET these do nothing; a manager that does not listen is not our trouble.

void ServiceManager::ready() const {
  sd_notify(0, "READY=1");
}

void ServiceManager::stopping() const {
  sd_notify(0, "STOPPING=1");
}

void ServiceManager::status(const std::string& text) const {
  sd_notify(0, ("STATUS=" + text).c_str());
}

}  // namespace fulcrum::daemon
