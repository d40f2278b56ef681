#include "daemon/subscriptions.h"

#include <utility>
#include <vector>

namespace fulcrum::daemon {

Control::SubscriptionId Subscriptions::add(std::optional<JobId> job, Control::EventSink sink) {
  subscriptions_.emplace(++last_id_, Subscription{job, std::move(sink)});
  return last_id_;
}

void Subscriptions::remove(Control::SubscriptionId id) {
  subscriptions_.erase(id);
}

void Subscriptions::publish(JobId job, const Json& event) {
  std::vector<Control::SubscriptionId> interested;
  for (const auto& [id, subscription] : subscriptions_) {
    if (!subscription.job || *subscription.job == job) interested.push_back(id);
  }
  for (const auto id : interested) {
    if (const auto it = subscriptions_.find(id); it != subscriptions_.end()) {
      const auto sink = it->second.sink;  // it may remove itself while it runs
      sink(event);
    }
  }
}

}  // namespace fulcrum::daemon
