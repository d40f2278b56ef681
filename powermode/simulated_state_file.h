#pragma once
// The file that a simulated board lives in. Changes are made under flock(2) on a file beside it (<path>.lock)
// and replace it whole, so that a reader, or a crash at any moment, sees the state before or after, never a
// mixture.

#include <functional>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/unique_fd.h"
#include "powermode/simulated_machine.h"
#include "powermode/simulated_state.h"

namespace fulcrum::powermode {

class SimulatedStateFile {
 public:
  // already_exists for a file that is there.
  [[nodiscard]] static Expected<void> create(const std::string& path, const SimulatedState& state);

  // Reads the name of the board, and its machine with it.
  [[nodiscard]] static Expected<std::unique_ptr<SimulatedStateFile>> open(const std::string& path);

  const SimulatedMachine& machine() const { return *machine_; }

  // As it is now, whoever changed it. Valid until the next call.
  [[nodiscard]] Expected<const SimulatedState*> load();

  // `change` alters the state and says what came of it; on an error nothing is stored.
  [[nodiscard]] Expected<void> update(const std::function<Expected<void>(SimulatedState&)>& change);

 private:
  SimulatedStateFile(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  [[nodiscard]] Expected<void> open_machine();

  std::string path_;
  UniqueFd lock_;
  std::unique_ptr<SimulatedMachine> machine_;
  // The last text seen, and what it says: most reads find it unchanged.
  std::string text_;
  SimulatedState state_;
};

}  // namespace fulcrum::powermode
