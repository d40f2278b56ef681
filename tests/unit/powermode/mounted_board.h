#pragma once
// A simulated board, mounted by the built fulcrum-simboard on a directory of the test's own. It is
// unmounted at the end, whatever happens, and nothing hangs on it: when its time is up the server dies, and
// then every call on the mount fails.

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "powermode/simulated_file_tree.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::test {

class MountedBoard {
 public:
  explicit MountedBoard(const std::string& name = "agx-orin");
  ~MountedBoard();
  MountedBoard(const MountedBoard&) = delete;
  MountedBoard& operator=(const MountedBoard&) = delete;

  // Why this machine cannot mount; empty: it can.
  const std::string& refused() const { return refused_; }
  const std::string& line() const { return line_; }  // that fulcrum-simboard printed
  std::string errors() const { return slurp(directory_ / "errors"); }

  std::string mountpoint() const { return directory_ / "mount"; }
  std::string on_mount(const std::string& path) const { return mountpoint() + path; }
  std::string state_dir() const { return directory_ / "state"; }
  bool is_mounted() const;
  bool unmount() const;

  // As another program on the board has it.
  SimulatedFileTree& tree() const { return *tree_; }
  std::unique_ptr<SimulatedFileTree> open_tree() const;
  void fault(const std::string& pattern, SimulatedFault::Kind kind, const std::string& error = {}) const;

  void send(int signal) const;
  // fulcrum-simboard's exit status, or 128 + the signal that ended it.
  int wait_for_exit();

 private:
  void start(const std::string& name);

  SystemClock clock_;
  TempDir directory_;
  std::unique_ptr<SimulatedFileTree> tree_;
  std::string refused_;
  std::string line_;
  pid_t pid_ = -1;
};

}  // namespace fulcrum::test
