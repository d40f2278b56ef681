#pragma once
// Who watches which job.

#include <functional>
#include <map>
#include <optional>

#include "common/job_spec.h"
#include "daemon/control.h"

namespace fulcrum::daemon {

class Subscriptions {
 public:
  Control::SubscriptionId add(std::optional<JobId> job, Control::EventSink sink);
  void remove(Control::SubscriptionId id);
  // To everybody who watches this job or all of them. A sink may remove itself or others.
  void publish(JobId job, const Json& event);

 private:
  struct Subscription {
    std::optional<JobId> job;
    Control::EventSink sink;
  };
  Control::SubscriptionId last_id_ = 0;
  std::map<Control::SubscriptionId, Subscription> subscriptions_;
};

}  // namespace fulcrum::daemon
