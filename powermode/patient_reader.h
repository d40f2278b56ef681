#pragma once
// Reads nodes that may not answer: drivers of sensors have been seen to block for as long as their device is
// powered off. Each read has a time limit; a node that passes it is `unavailable`, and is not asked again
// for a while, nor until the read that waits for it has ended. Not for several threads.
//
// Reads happen on a thread. One that a driver holds cannot be ended by anybody: it is left behind, and ends
// with its read or with the process.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "powermode/file_tree.h"

namespace fulcrum::powermode {

class PatientReader {
 public:
  static constexpr std::chrono::milliseconds kTimeLimit{200};
  static constexpr std::chrono::seconds kAvoidance{10};  // of a node that passed it
  static constexpr std::size_t kMostHeld = 32;  // threads that wait for drivers; beyond, nothing is read

  static constexpr std::chrono::seconds kEndPatience{1};  // with threads that are held when this ends

  explicit PatientReader(std::shared_ptr<const FileTree> tree, Duration time_limit = kTimeLimit,
                         Duration avoidance = kAvoidance);
  ~PatientReader();
  PatientReader(const PatientReader&) = delete;
  PatientReader& operator=(const PatientReader&) = delete;

  // What each of the nodes says, in their order.
  std::vector<Expected<std::string>> read(const std::vector<std::string>& paths);

 private:
  struct Lane;  // a thread, and what it is to read

  void release_those_that_returned();
  bool is_held(const std::string& path) const;
  bool is_avoided(const std::string& path) const;
  void read_until_held(const std::vector<std::string>& paths, std::vector<Expected<std::string>>& answers);

  std::shared_ptr<const FileTree> tree_;
  Duration time_limit_;
  Duration avoidance_;
  const SystemClock clock_;
  std::shared_ptr<Lane> lane_;                // the one that reads now
  std::vector<std::shared_ptr<Lane>> held_;   // those that wait for a driver
  std::map<std::string, TimePoint> avoided_;  // nodes that were silent of late, and until when
};

}  // namespace fulcrum::powermode
