#pragma once
// Follows the checkpoints that a training job writes, in whichever process, and hands on the weights in them.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/error.h"
#include "workloads/checkpoint_store.h"
#include "workloads/inference_run.h"

namespace fulcrum::workloads {

class WeightsFollower {
 public:
  struct Options {
    std::string directory;  // of the training job's checkpoints
    // Only weights that were validated, and with a result that is not worse than that of the ones handed on
    // before: in accuracy, or in loss where there is none.
    bool gated = false;
    // Where those that have passed the gate are kept: a newer checkpoint may not, and the training job
    // removes the older ones.
    std::optional<CheckpointStore> kept = std::nullopt;
    std::chrono::milliseconds period{200};
  };
  // `model`: see LearnerState. Called by look().
  using Take = std::function<Expected<void>(const std::string& model, const WeightsOrigin& origin)>;

  WeightsFollower(Options options, Take take) : options_(std::move(options)), take_(std::move(take)) {}
  ~WeightsFollower();
  WeightsFollower(const WeightsFollower&) = delete;
  WeightsFollower& operator=(const WeightsFollower&) = delete;

  // Hands on the newest weights that are new and may pass; the first time, those that passed before are
  // handed on too. Nothing without a checkpoint. A checkpoint that fails is not tried again.
  void look();
  // Looks every so often, in a thread of its own and of low priority. look() is then its own.
  void start();

  struct Status {
    std::uint64_t taken = 0;
    std::uint64_t held_back = 0;   // by the gate
    std::optional<Error> trouble;  // with the last one that was tried
  };
  Status status() const;

 private:
  Expected<void> take_kept();
  Expected<void> take_new();
  // True: no older one is needed.
  Expected<bool> consider(const StoredCheckpoint& stored);
  Expected<void> hand_on(const std::string& model, const WeightsOrigin& origin);
  bool passes(const WeightsOrigin& origin) const;

  Options options_;
  Take take_;
  bool looked_ = false;
  std::uint64_t seen_ = 0;  // the newest step that was tried
  std::optional<WeightsOrigin> last_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Status status_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fulcrum::workloads
