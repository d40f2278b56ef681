#pragma once
// The strategy that the configuration names, or a job: thought out here, or in the worker if it learns by
// networks, for LibTorch is there. What the worker came to is kept: it follows from the question alone.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "scheduler/decision.h"
#include "worker/protocol.h"

namespace fulcrum::daemon {

class Deliberation {
 public:
  // invalid_argument for a name that stands for no strategy, or for one that lacks a tool.
  [[nodiscard]] static Expected<Deliberation> make(const std::string& strategy,
                                                   const scheduler::StrategyTools& tools = {});

  const std::string& strategy() const { return name_; }
  // Another from now on, unless it is this one; errors as for make().
  [[nodiscard]] Expected<void> use(const std::string& strategy);
  // Other tools from now on; the strategy stays.
  [[nodiscard]] Expected<void> equip(const scheduler::StrategyTools& tools);
  std::size_t most_probes(const scheduler::Problem& problem) const;  // beside confirmations

  // Which this has to outlive.
  scheduler::Adviser adviser() const;

  // The question for the worker, in place of an earlier one; none: it waits for this answer already.
  std::optional<worker::Think> ask(const scheduler::Unadvised& question);

  // True: the question that waited has its answer. False: none waited for this one. An error: why the worker
  // has none, or that its answer makes no sense; nothing more will be measured then.
  [[nodiscard]] Expected<bool> take(const worker::Thought& thought);

  void forget_question();  // the worker is gone, or nobody wants to know any more
  void forget_answers();

 private:
  using Key = std::pair<std::size_t, std::size_t>;

  struct Question {
    std::uint64_t id = 0;
    Key key{};
    scheduler::Unadvised what;
  };

  [[nodiscard]] Expected<void> prepare(const std::string& strategy);
  static Key key_of(const scheduler::Unadvised& question);

  explicit Deliberation(scheduler::StrategyTools tools) : tools_(std::move(tools)) {}

  scheduler::StrategyTools tools_;
  std::string name_;
  std::unique_ptr<scheduler::Strategy> own_;
  std::uint64_t last_id_ = 0;
  std::optional<Question> question_;
  std::map<Key, scheduler::Advice> answers_;
};

}  // namespace fulcrum::daemon
