#pragma once
// The nodes of a simulated board as one table: what each says, what it takes, and when it is there. The table
// holds no state; that is handed in. Of its faults only the absent ones are minded here.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "common/error.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_state.h"
#include "powermode/simulated_workloads.h"

namespace fulcrum::powermode {

// A value, or the errno of the system call.
template <class T>
using SystemResult = tl::expected<T, int>;

struct SimulatedNode {
  using Read = std::function<SystemResult<std::string>(const SimulatedState&, std::int64_t now_ns)>;
  using Write = std::function<int(SimulatedState&, std::string_view text, std::int64_t now_ns)>;
  using Present = std::function<bool(const SimulatedState&)>;

  Read read;                     // null: not readable
  Write write;                   // null: EACCES
  Present present;               // null: always
  bool made_by_writing = false;  // a file rather than a kernel's node: there from the first write on
};

// What lstat(2) and the mode bits tell of a path.
struct SimulatedNodeInfo {
  enum class Kind { file, directory, link };
  Kind kind = Kind::file;
  bool readable = false;
  bool writable = false;
};

class SimulatedMachine {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<SimulatedMachine>> of_board(const std::string& board_id);

  SimulatedMachine(const SimulatedMachine&) = delete;
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  const SimulatedHardware& hardware() const { return hardware_; }
  const SimulatedWorkloads& workloads() const { return workloads_; }

  // A path with its links followed (the last one only if asked to), or ENOENT. What it leads to may be
  // absent.
  SystemResult<std::string> resolve(const SimulatedState& state, const std::string& path,
                                    bool follow_last) const;

  // These take resolved paths.
  SystemResult<std::string> read(const SimulatedState& state, const std::string& path,
                                 std::int64_t now_ns) const;
  int write(SimulatedState& state, const std::string& path, std::string_view text, std::int64_t now_ns) const;
  SystemResult<std::vector<std::string>> list(const SimulatedState& state, const std::string& path) const;
  bool exists(const SimulatedState& state, const std::string& path) const;
  SystemResult<SimulatedNodeInfo> info(const SimulatedState& state, const std::string& path) const;
  SystemResult<std::string> readlink(const SimulatedState& state, const std::string& path) const;

  // Present nodes and what they say, for the paths that `wanted` accepts.
  std::map<std::string, std::string> texts(const SimulatedState& state, std::int64_t now_ns,
                                           const std::function<bool(const std::string&)>& wanted) const;

 private:
  friend class SimulatedNodes;
  struct Link {
    std::string target;  // absolute
    SimulatedNode::Present present;
  };

  SimulatedMachine(SimulatedHardware hardware, SimulatedWorkloads workloads);
  const SimulatedNode* node_at(const SimulatedState& state, const std::string& path) const;
  const Link* link_at(const SimulatedState& state, const std::string& path) const;

  SimulatedHardware hardware_;
  SimulatedWorkloads workloads_;
  std::map<std::string, SimulatedNode> nodes_;
  std::map<std::string, Link> links_;
};

}  // namespace fulcrum::powermode
