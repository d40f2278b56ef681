#include "daemon/deliberation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace fulcrum::daemon {

namespace {

using scheduler::Advice;
using scheduler::Measure;
using scheduler::NothingMore;
using scheduler::Problem;
using scheduler::ProfileSet;
using scheduler::Unadvised;

// Far more than a move needs, which may be one for each profile that cannot be had.
constexpr std::size_t kMostAnswers = 4096;

bool is_about(const Problem& problem, const Measure& m) {
  if (!problem.grid.contains(m.mode)) return false;
  if (m.task == WorkloadTask::training)
    return problem.trains() && m.batch_size == problem.training_batch_size;
  const auto& sizes = problem.inference_batch_sizes;
  return problem.infers() && std::find(sizes.begin(), sizes.end(), m.batch_size) != sizes.end();
}

// Without the profiles that do not matter, so that a message is no longer than it must be.
Unadvised essence(const Problem& problem, const ProfileSet& profiles) {
  Unadvised question{problem, {}};
  for (const auto& [key, profile] : profiles) {
    if (!is_about(problem, {profile.task, profile.mode, profile.batch_size})) continue;
    (void)question.profiles.add(profile);  // it came out of such a set
  }
  return question;
}

}  // namespace

// A digest, for a question may be long.
Deliberation::Key Deliberation::key_of(const Unadvised& question) {
  const auto text = to_line(Json::array({question.problem.to_json(), question.profiles.to_json()}));
  return {std::hash<std::string>()(text), text.size()};
}

Expected<Deliberation> Deliberation::make(const std::string& strategy,
                                          const scheduler::StrategyTools& tools) {
  Deliberation deliberation(tools);
  FULCRUM_TRY(deliberation.use(strategy));
  return deliberation;
}

Expected<void> Deliberation::use(const std::string& strategy) {
  if (strategy == name_) return {};
  return prepare(strategy);
}

Expected<void> Deliberation::equip(const scheduler::StrategyTools& tools) {
  tools_ = tools;
  if (!own_) return {};  // the worker has tools of its own
  return prepare(name_);
}

Expected<void> Deliberation::prepare(const std::string& strategy) {
  FULCRUM_TRY_ASSIGN(traits, scheduler::strategy_traits(strategy, scheduler::ProblemKind::train));
  std::unique_ptr<scheduler::Strategy> own;
  if (!traits.learns) {
    FULCRUM_TRY_ASSIGN(made, scheduler::make_strategy(strategy, tools_));
    own = std::move(made);
  }
  name_ = strategy;
  own_ = std::move(own);
  forget_question();
  forget_answers();
  return {};
}

std::size_t Deliberation::most_probes(const Problem& problem) const {
  if (own_) return own_->most_probes(problem);
  const auto traits = scheduler::strategy_traits(name_, problem.kind);
  return static_cast<std::size_t>(traits->most_probes.value());  // the name was one, and it learns
}

scheduler::Adviser Deliberation::adviser() const {
  if (own_) return scheduler::adviser(*own_);
  return [this](const Problem& problem, const ProfileSet& profiles) -> std::optional<Advice> {
    const auto found = answers_.find(key_of(essence(problem, profiles)));
    if (found == answers_.end()) return std::nullopt;
    return found->second;
  };
}

std::optional<worker::Think> Deliberation::ask(const Unadvised& question) {
  auto what = essence(question.problem, question.profiles);
  const auto key = key_of(what);
  if (question_ && question_->key == key) return std::nullopt;
  worker::Think think;
  think.id = ++last_id_;
  think.strategy = name_;
  think.problem = what.problem;
  think.profiles = what.profiles;
  question_ = Question{think.id, key, std::move(what)};
  return think;
}

Expected<bool> Deliberation::take(const worker::Thought& thought) {
  if (!question_ || thought.id != question_->id) return false;
  const Question question = *std::exchange(question_, std::nullopt);
  if (answers_.size() >= kMostAnswers) answers_.clear();
  Advice& advice = answers_[question.key];
  advice = NothingMore{};
  if (thought.error) return in_context(*thought.error, "asking the worker what to measure");
  if (!thought.measure) return true;
  const Measure& m = *thought.measure;
  const bool is_known = question.what.profiles.find(m.task, m.mode, m.batch_size) != nullptr;
  if (!is_about(question.what.problem, m) || (is_known && !question.what.problem.noise.any())) {
    return fail(ErrorCode::internal, fmt::format("the worker wants to measure {}", m.to_string()));
  }
  advice = m;
  return true;
}

void Deliberation::forget_question() {
  question_.reset();
}

void Deliberation::forget_answers() {
  answers_.clear();
}

}  // namespace fulcrum::daemon
