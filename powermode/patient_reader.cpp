#include "powermode/patient_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace fulcrum::powermode {

struct PatientReader::Lane {
  explicit Lane(std::shared_ptr<const FileTree> of) : tree(std::move(of)) {}

  // The thread's life.
  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ended || answers.size() < paths.size(); });
      if (ended) break;
      const std::string path = paths[answers.size()];
      lock.unlock();
      auto answer = tree->read(path);
      lock.lock();
      answers.push_back(std::move(answer));
      if (answers.size() == paths.size()) changed.notify_all();
    }
    over = true;
    changed.notify_all();
  }

  // Whether its life is over by then.
  bool ends_by(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, deadline, [this] { return over; });
  }

  void end() {
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }

  const std::shared_ptr<const FileTree> tree;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> paths;
  std::vector<Expected<std::string>> answers;  // to the first of the paths
  bool ended = false;                          // it is to end,
  bool over = false;                           // and has
  std::thread thread;                          // only the reader's
};

PatientReader::PatientReader(std::shared_ptr<const FileTree> tree, Duration time_limit, Duration avoidance)
    : tree_(std::move(tree)), time_limit_(time_limit), avoidance_(avoidance) {}

PatientReader::~PatientReader() {
  for (const auto& lane : held_)
    lane->end();
  const auto deadline = std::chrono::steady_clock::now() + kEndPatience;
  for (const auto& lane : held_) {
    if (lane->ends_by(deadline)) {
      lane->thread.join();
    } else {
      lane->thread.detach();  // see above
    }
  }
  if (!lane_) return;
  lane_->end();
  lane_->thread.join();
}

std::vector<Expected<std::string>> PatientReader::read(const std::vector<std::string>& paths) {
  std::vector<Expected<std::string>> answers;
  answers.reserve(paths.size());
  while (answers.size() < paths.size()) {
    release_those_that_returned();
    const std::string& next = paths[answers.size()];
    if (is_held(next) || is_avoided(next)) {
      answers.push_back(fail(ErrorCode::unavailable, fmt::format("'{}' has not answered yet", next)));
    } else if (held_.size() >= kMostHeld) {
      answers.push_back(fail(ErrorCode::unavailable, "too many nodes of this board do not answer"));
    } else {
      read_until_held(paths, answers);
    }
  }
  return answers;
}

void PatientReader::release_those_that_returned() {
  const auto returned = [](const std::shared_ptr<Lane>& lane) {
    const std::lock_guard lock(lane->mutex);
    return !lane->answers.empty();
  };
  const auto first =
      std::stable_partition(held_.begin(), held_.end(), [&](const auto& lane) { return !returned(lane); });
  for (auto it = first; it != held_.end(); ++it) {
    (*it)->end();
    (*it)->thread.join();
  }
  held_.erase(first, held_.end());
}

bool PatientReader::is_held(const std::string& path) const {
  return std::any_of(held_.begin(), held_.end(), [&](const std::shared_ptr<Lane>& lane) {
    const std::lock_guard lock(lane->mutex);
    return lane->paths.front() == path;
  });
}

bool PatientReader::is_avoided(const std::string& path) const {
  const auto until = avoided_.find(path);
  return until != avoided_.end() && clock_.now() < until->second;
}

// The paths up to the first that is held already, or that does not answer now.
void PatientReader::read_until_held(const std::vector<std::string>& paths,
                                    std::vector<Expected<std::string>>& answers) {
  auto end = answers.size();
  while (end < paths.size() && !is_held(paths[end]) && !is_avoided(paths[end]))
    ++end;
  if (!lane_) {
    lane_ = std::make_shared<Lane>(tree_);
    lane_->thread = std::thread([lane = lane_] { lane->run(); });
  }
  std::unique_lock lock(lane_->mutex);
  lane_->answers.clear();
  lane_->paths.assign(paths.begin() + static_cast<std::ptrdiff_t>(answers.size()),
                      paths.begin() + static_cast<std::ptrdiff_t>(end));
  lane_->changed.notify_all();
  std::size_t seen = 0;
  const auto all_answered = [&] { return lane_->answers.size() == lane_->paths.size(); };
  // The limit is one node's: time starts anew with each that answers.
  while (!lane_->changed.wait_for(lock, time_limit_, all_answered)) {
    if (std::exchange(seen, lane_->answers.size()) == lane_->answers.size()) break;
  }
  std::move(lane_->answers.begin(), lane_->answers.end(), std::back_inserter(answers));
  if (all_answered()) return;
  const std::string silent = lane_->paths[lane_->answers.size()];
  answers.push_back(fail(ErrorCode::unavailable,
                         fmt::format("'{}' does not answer within {:g} ms", silent, to_ms(time_limit_))));
  avoided_[silent] = clock_.now() + avoidance_;
  // Its thread has nothing to do but to wait for it.
  lane_->paths = {silent};
  lane_->answers.clear();
  lock.unlock();
  held_.push_back(std::exchange(lane_, nullptr));
}

}  // namespace fulcrum::powermode
