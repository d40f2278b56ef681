#include "daemon/job_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "common/durable_file.h"
#include "daemon/user_account.h"

namespace fulcrum::daemon {

namespace {

// A step that takes so much more or less than planned is worth a new plan.
constexpr double kReplanRatio = 1.2;

bool differs(double planned_ms, double now_ms) {
  if (!(planned_ms > 0) || !(now_ms > 0)) return false;
  const double ratio = now_ms / planned_ms;
  return std::max(ratio, 1 / ratio) >= kReplanRatio;
}

Json shown_progress(const JobRecord& record) {
  Json progress = record.progress.is_null() ? Json::object() : record.progress;
  progress.erase("resume");
  return progress;
}

}  // namespace

Json summary_of(const JobRecord& record) {
  Json json{{"id", record.id},
            {"name", record.spec.value("name", "")},
            {"kind", record.spec.value("kind", "")},
            {"state", to_string(record.state)},
            {"submitted_ms", record.submitted_ms},
            {"progress", shown_progress(record)}};
  if (record.error) json["error"] = *record.error;
  return json;
}

Json details_of(const JobRecord& record) {
  Json json = summary_of(record);
  json["spec"] = record.spec;
  json["started_ms"] = json_or_null(record.started_ms);
  json["finished_ms"] = json_or_null(record.finished_ms);
  if (record.client_token) json["client_token"] = *record.client_token;
  return json;
}

Json event_of(const JobRecord& record, const std::string& event) {
  Json json = summary_of(record);
  json["job"] = record.id;
  json["event"] = event;
  json.erase("id");
  json.erase("submitted_ms");
  return json;
}

std::string describe(const scheduler::Plan& plan) {
  std::string text = plan.mode ? plan.mode->to_string() : "no mode";
  if (!plan.mode_name.empty()) text = plan.mode_name + " (" + text + ")";
  for (const auto& share : plan.inference) {
    text += fmt::format("; '{}' in batches of {}, {:.1f} of {:.1f} ms", share.name, share.batch_size,
                        share.expected_latency_ms, share.latency_budget_ms);
    if (!share.warning.empty()) text += ", " + share.warning;
  }
  for (const auto& share : plan.training) {
    text += fmt::format("; '{}' in steps of {:.2f} ms", share.name, share.step_time.p99_ms);
    if (!share.warning.empty()) text += ", " + share.warning;
  }
  if (plan.training_per_window) {
    text += fmt::format("; {} minibatches a window of {:.1f} ms", *plan.training_per_window, plan.window_ms);
  }
  return text;
}

Json with_resume(Json progress, const Json& resume) {
  if (progress.is_null()) progress = Json::object();
  if (!resume.is_null()) progress["resume"] = resume;
  return progress;
}

Json take_resume(JobRecord& record) {
  if (!record.progress.is_object() || !record.progress.contains("resume")) return nullptr;
  Json resume = std::move(record.progress["resume"]);
  record.progress.erase("resume");
  return resume;
}

bool update_step_times(std::vector<scheduler::StepTime>& planned,
                       const std::vector<scheduler::StepTime>& recent) {
  bool changed = false;
  for (const auto& now : recent) {
    const auto it = std::find_if(planned.begin(), planned.end(),
                                 [&now](const auto& t) { return t.batch_size == now.batch_size; });
    if (it == planned.end() || !differs(it->p99_ms, now.p99_ms)) continue;
    *it = now;
    changed = true;
  }
  return changed;
}

bool update_profiles(scheduler::ProfileSet& profiles, WorkloadTask task, const PowerMode& mode,
                     const std::vector<scheduler::StepTime>& recent) {
  bool changed = false;
  for (const auto& now : recent) {
    const auto* known = profiles.find(task, mode, now.batch_size);
    if (known == nullptr || !differs(known->p99_ms, now.p99_ms)) continue;
    scheduler::Profile profile = *known;
    profile.p50_ms = now.p50_ms;
    profile.p99_ms = now.p99_ms;
    changed = profiles.add(profile).has_value() || changed;
  }
  return changed;
}

std::string checkpoint_directory(const DaemonConfig& config, JobId id) {
  return fmt::format("{}/checkpoints/{}", config.state_dir, id);
}

Expected<std::string> make_checkpoint_directory(const DaemonConfig& config, JobId id) {
  std::string directory = checkpoint_directory(config, id);
  FULCRUM_TRY(make_directories(directory));
  if (::geteuid() != 0 || config.worker.user.empty()) return directory;
  FULCRUM_TRY_ASSIGN(account, find_account(config.worker.user));
  if (::lchown(directory.c_str(), account.uid, account.gid) != 0) {
    return fail_errno(errno, fmt::format("handing '{}' to user '{}'", directory, config.worker.user));
  }
  return directory;
}

}  // namespace fulcrum::daemon
