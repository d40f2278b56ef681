#pragma once
// A control loop that does as the test says.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/control.h"

namespace fulcrum::test {

class FakeControl final : public daemon::Control {
 public:
  void submit(daemon::SubmitRequest request, SubmitReply reply) override {
    submitted.push_back(request);
    if (hold_submits) {
      held.push_back(std::move(reply));
    } else {
      reply(submit_answer);
    }
  }
  Json jobs() const override { return {{"jobs", job_list}}; }
  Expected<Json> job(JobId id) const override { return find(id); }
  Expected<Json> result(JobId id) const override {
    FULCRUM_TRY_ASSIGN(found, find(id));
    if (!found.contains("result")) return fail(ErrorCode::unavailable, "job has no result yet");
    return found.at("result");
  }
  Expected<Json> cancel(JobId id) override {
    FULCRUM_TRY_ASSIGN(found, find(id));
    cancelled.push_back(id);
    return Json{{"id", id}, {"state", "cancelled"}};
  }
  Json plan() const override { return plan_answer; }
  Json explain() const override { return explanation; }
  Json budget() const override { return budget_answer; }
  Expected<Json> set_budget(std::optional<double> power_w) override {
    budget_answer["power_w"] = power_w ? Json(*power_w) : Json();
    return budget_answer;
  }
  Expected<Json> reset_budget() override { return budget_answer; }
  Expected<Json> list_profiles(const std::optional<std::string>& workload) override {
    workloads_asked.push_back(workload.value_or("all"));
    return Json{{"profiles", Json::array()}};
  }
  Expected<Json> explore_profiles(int probes) override {
    return Json{{"probes", probes}, {"seconds_at_most", 2.5 * probes}};
  }
  Expected<Json> forget_profiles(const std::optional<std::string>& workload) override {
    workloads_asked.push_back(workload.value_or("all"));
    return Json{{"forgotten", 3}};
  }
  Expected<Json> export_profiles(const std::optional<std::string>&, std::size_t offset,
                                 std::size_t limit) override {
    return Json{{"document", {{"offset", offset}, {"limit", limit}}}, {"next", nullptr}};
  }
  daemon::Checked<Json> import_profiles(const Json&, bool) override { return import_answer; }
  Json trace(double seconds, std::optional<std::uint64_t> from,
             std::optional<std::uint64_t> to) const override {
    Json slices = Json::array();
    for (auto i = from.value_or(0); i < from.value_or(0) + 2; ++i)
      slices.push_back(
          {{"job", i}, {"why", "free_time"}, {"started_ns", 1000 * i}, {"ended_ns", 1000 * i + 500}});
    return {{"slices", slices}, {"next", from && to && seconds > 0 ? Json() : Json(2)}, {"end", 4}};
  }
  Expected<Json> board() const override { return board_answer; }
  Expected<Json> board_modes() const override {
    return Json{{"mode", Json::object()}, {"presets", Json::array()}};
  }
  Json board_sensors() const override { return {{"averaging_window_ms", 300}}; }
  Expected<Json> board_report() const override {
    return Json{{"id", "agx-orin"}, {"name", "a board"}, {"fit", true}, {"findings", Json::array()}};
  }

  Expected<SubscriptionId> watch(std::optional<JobId> id, EventSink sink) override {
    if (id) FULCRUM_TRY(find(*id));
    for (const auto& event : first_events)
      sink(event);
    const SubscriptionId subscription = ++last_subscription;
    sinks.emplace(subscription, std::move(sink));
    return subscription;
  }
  void unwatch(SubscriptionId id) override { sinks.erase(id); }

  void emit(const Json& event) {
    for (const auto& [id, sink] : sinks)
      sink(event);
  }

  static Json summary(JobId id, const std::string& name, const std::string& state) {
    return {
        {"id", id}, {"name", name}, {"kind", "training"}, {"state", state}, {"submitted_ms", 1760000000000}};
  }

  Json explanation = Json::object();
  Json budget_answer{{"power_w", 30}, {"source", "config"}, {"config_power_w", 30}};
  std::vector<std::string> workloads_asked;
  daemon::Checked<Json> import_answer = Json{{"added", 1}, {"known", 0}};
  bool hold_submits = false;
  daemon::Checked<Json> submit_answer = Json{{"id", 1}};
  Json job_list = Json::array();
  Json plan_answer{{"plan", nullptr}};
  Expected<Json> board_answer = Json{{"id", "simulated:agx-orin"}};
  std::vector<Json> first_events;

  std::vector<daemon::SubmitRequest> submitted;
  std::vector<SubmitReply> held;
  std::vector<JobId> cancelled;
  std::map<SubscriptionId, EventSink> sinks;
  SubscriptionId last_subscription = 0;

 private:
  Expected<Json> find(JobId id) const {
    for (const auto& job : job_list) {
      if (job.at("id") == id) return job;
    }
    return fail(ErrorCode::not_found, "there is no job " + std::to_string(id),
                "'fulcrumctl list' shows all jobs");
  }
};

}  // namespace fulcrum::test
