#include "daemon/profile_book.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "profiler/observed_noise.h"
#include "profiler/profile_exchange.h"

namespace fulcrum::daemon {

namespace {

scheduler::Profile for_planning(const profiler::Profile& p) {
  return {p.key.task, p.key.mode, p.key.batch_size, p.time.p50_ms, p.time.p99_ms, p.power_w, p.measurements};
}

// What the fingerprint, which is of time and power, does not tell of a job's size.
std::string size_traits(const JobSpec& spec) {
  Json traits{{"batch_sizes", spec.batch_sizes()}};
  if (const auto* training = spec.training()) {
    traits["dataset"] = training->dataset.to_json();
    if (training->validation) traits["validation"] = training->validation->dataset.to_json();
  } else {
    traits["dataset"] = spec.inference()->source.dataset.to_json();
  }
  return to_line(traits);
}

}  // namespace

WorkloadTask task_of(const JobSpec& spec) {
  return spec.training() != nullptr ? WorkloadTask::training : WorkloadTask::inference;
}

scheduler::ProfileSet::Key profile_key(const profiler::MeasurementKey& key) {
  return {key.task, key.mode, key.batch_size};
}

Expected<ProfileBook> ProfileBook::open(const std::string& path, std::string board_id,
                                        profiler::ExecutionTraits traits) {
  FULCRUM_TRY_ASSIGN(store, profiler::ProfileStore::open(path));
  return ProfileBook(std::move(store), std::move(board_id), traits);
}

std::string ProfileBook::fingerprint_of(const JobSpec& spec) const {
  return profiler::workload_fingerprint(spec, traits_);
}

profiler::MeasurementKey ProfileBook::key_of(const JobSpec& spec, const PowerMode& mode,
                                             int batch_size) const {
  return {board_id_, fingerprint_of(spec), task_of(spec), mode, batch_size};
}

Expected<scheduler::ProfileSet> ProfileBook::profiles_of(const JobSpec& spec) {
  FULCRUM_TRY_ASSIGN(found, store_.find(board_id_, fingerprint_of(spec), task_of(spec)));
  scheduler::ProfileSet profiles;
  for (const auto& profile : found)
    FULCRUM_TRY(profiles.add(for_planning(profile)));
  return profiles;
}

Expected<std::vector<scheduler::ProfileSet>> ProfileBook::others(const std::set<std::string>& fingerprints) {
  FULCRUM_TRY_ASSIGN(all, store_.list(of_workload(std::nullopt)));
  std::map<std::string, scheduler::ProfileSet> others;
  for (const auto& profile : all) {
    if (fingerprints.count(profile.key.fingerprint) == 0)
      FULCRUM_TRY(others[profile.key.fingerprint].add(for_planning(profile)));
  }
  std::vector<scheduler::ProfileSet> sets;
  sets.reserve(others.size());
  for (auto& [fingerprint, profiles] : others)
    sets.push_back(std::move(profiles));
  return sets;
}

Expected<scheduler::MeasurementNoise> ProfileBook::noise() {
  if (!noise_) {
    FULCRUM_TRY_ASSIGN(all, store_.measurements(of_workload(std::nullopt)));
    const auto observed = profiler::observed_noise(all);
    noise_ = scheduler::MeasurementNoise{observed.time, observed.power};
  }
  return *noise_;
}

Expected<void> ProfileBook::add(const profiler::Measurement& measurement) {
  noise_.reset();
  return store_.add(measurement);
}

Expected<std::optional<double>> ProfileBook::kappa_of(const JobSpec& spec) {
  return store_.kappa(board_id_, fingerprint_of(spec));
}

Expected<void> ProfileBook::keep_kappa(const JobSpec& spec, double kappa) {
  return store_.keep_kappa(board_id_, fingerprint_of(spec), kappa);
}

Expected<std::optional<std::int64_t>> ProfileBook::memory_of(const JobSpec& spec) {
  return store_.memory_bytes(board_id_, fingerprint_of(spec), size_traits(spec));
}

Expected<void> ProfileBook::keep_memory(const JobSpec& spec, std::int64_t bytes) {
  return store_.keep_memory(board_id_, fingerprint_of(spec), size_traits(spec), bytes);
}

profiler::ProfileFilter ProfileBook::of_workload(const Workload& workload) const {
  profiler::ProfileFilter filter;
  filter.board_id = board_id_;
  filter.fingerprint = workload;
  return filter;
}

Expected<Json> ProfileBook::list(const Workload& workload) {
  FULCRUM_TRY_ASSIGN(found, store_.list(of_workload(workload)));
  Json profiles = Json::array();
  for (const auto& profile : found)
    profiles.push_back(profile.to_json());
  return Json{{"profiles", std::move(profiles)}};
}

Expected<Json> ProfileBook::forget(const Workload& workload) {
  noise_.reset();
  FULCRUM_TRY_ASSIGN(forgotten, store_.forget(of_workload(workload)));
  return Json{{"forgotten", forgotten}};
}

Expected<Json> ProfileBook::export_part(const Workload& workload, std::size_t offset, std::size_t limit) {
  FULCRUM_TRY_ASSIGN(all, store_.measurements(of_workload(workload)));
  const std::size_t from = std::min(offset, all.size());
  const std::size_t to = from + std::min(limit, all.size() - from);
  const auto at = [&all](std::size_t n) { return all.begin() + static_cast<std::ptrdiff_t>(n); };
  return Json{{"document", profiler::write_exchange({at(from), at(to)})},
              {"next", to < all.size() ? Json(to) : Json()}};
}

Checked<Json> ProfileBook::import(const Json& document, bool equal_board) {
  const auto foreign = equal_board ? profiler::ForeignBoards::take_as_ours : profiler::ForeignBoards::refuse;
  noise_.reset();
  auto imported = store_.import_json(document, board_id_, foreign);
  if (!imported) return faulty(std::move(imported).error());
  return Json{{"added", imported->added}, {"known", imported->known}};
}

}  // namespace fulcrum::daemon
