#pragma once
// A simulated board as a file tree, with the kernel's semantics. The board is a file: it outlives every
// process, and any number of processes may look at it and change it, each through a tree of its own
// (fulcrum-simboard is one).

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "powermode/file_tree.h"
#include "powermode/simulated_fault.h"
#include "powermode/simulated_state.h"
#include "powermode/simulated_state_file.h"

namespace fulcrum {

class SimulatedFileTree final : public FileTree {
 public:
  // A board as after a boot into MAXN. already_exists for a file that is there, not_found for an unknown
  // board.
  [[nodiscard]] static Expected<void> create(const std::string& state_path, const std::string& board_id,
                                             const Clock& clock);

  // The clock outlives the tree.
  [[nodiscard]] static Expected<std::unique_ptr<SimulatedFileTree>> open(const std::string& state_path,
                                                                         const Clock& clock);

  [[nodiscard]] Expected<std::string> read(const std::string& path) const override;
  [[nodiscard]] Expected<void> write(const std::string& path, std::string_view value) override;
  [[nodiscard]] Expected<std::vector<std::string>> list(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  [[nodiscard]] Expected<std::string> readlink(const std::string& path) const override;

  // The same as system calls: a value, or the errno of the board's kernel; an Error only if the board's own
  // file fails. For a front that hands them on (simulated_mount.h).
  template <class T>
  using Answer = Expected<powermode::SystemResult<T>>;
  using GiveUp = std::function<bool()>;
  using NodeInfo = powermode::SimulatedNodeInfo;
  // While a fault blocks the node the caller waits, as does read(). `give_up` is asked again and again; with
  // true the wait ends with EINTR.
  [[nodiscard]] Answer<std::string> sys_read(const std::string& path, const GiveUp& give_up = nullptr) const;
  [[nodiscard]] Answer<void> sys_write(const std::string& path, std::string_view value);
  [[nodiscard]] Answer<std::vector<std::string>> sys_list(const std::string& path) const;
  [[nodiscard]] Answer<std::string> sys_readlink(const std::string& path) const;
  [[nodiscard]] Answer<NodeInfo> sys_lstat(const std::string& path) const;

  const std::string& board_name() const;

  // What read(2) and write(2) answer (of write: 0, or the errno), for those who tell the number. An error
  // beside it is that of the file that the board lives in.
  [[nodiscard]] Expected<powermode::SystemResult<std::string>> system_read(const std::string& path) const;
  [[nodiscard]] Expected<int> system_write(const std::string& path, std::string_view value);

  // Tells the board's load: see simulated_load.h.
  [[nodiscard]] Expected<void> report_load(const std::vector<SimulatedLoadEdge>& edges);

  // Faults are asked in the order in which they were added; the first that fits counts.
  [[nodiscard]] Expected<void> add_fault(SimulatedFault fault);
  [[nodiscard]] Expected<std::vector<SimulatedFault>> faults() const;
  [[nodiscard]] Expected<void> clear_faults();

  // The board boots again: knobs as after boot into the mode that nvpmodel was last told to set, a new boot
  // id. Faults stay, and so does how nvpmodel behaves.
  [[nodiscard]] Expected<void> reboot();

  // What the board itself knows, past any fault.
  [[nodiscard]] Expected<powermode::SimulatedState> state() const;

 private:
  SimulatedFileTree(std::unique_ptr<powermode::SimulatedStateFile> file, const Clock& clock)
      : file_(std::move(file)), clock_(clock) {}

  // None while a fault blocks the node.
  [[nodiscard]] Expected<std::optional<powermode::SystemResult<std::string>>> read_unless_blocked(
      const std::string& path) const;
  template <class T, class Ask>
  [[nodiscard]] Answer<T> ask(const std::string& path, bool follow_last, Ask ask) const;

  std::int64_t now_ns() const { return to_ns(clock_.now()); }
  const powermode::SimulatedMachine& machine() const { return file_->machine(); }

  mutable std::mutex mutex_;  // of file_, which remembers what it saw last
  std::unique_ptr<powermode::SimulatedStateFile> file_;
  const Clock& clock_;
};

}  // namespace fulcrum
