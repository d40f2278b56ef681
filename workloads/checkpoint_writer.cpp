#include "workloads/checkpoint_writer.h"

#include <utility>

namespace fulcrum::workloads {

CheckpointWriter::CheckpointWriter(CheckpointStore store)
    : store_(std::move(store)), thread_([this] { work(); }) {}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CheckpointWriter::submit(StoredCheckpoint checkpoint) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(checkpoint);
  }
  changed_.notify_all();
}

Expected<void> CheckpointWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_ && !writing_; });
  if (trouble_) return Unexpected(*trouble_);
  return {};
}

std::optional<Error> CheckpointWriter::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void CheckpointWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || waiting_; });
    if (!waiting_) return;
    const StoredCheckpoint checkpoint = std::move(*waiting_);
    waiting_.reset();
    writing_ = true;

    lock.unlock();
    auto written = store_.write(checkpoint.step, checkpoint.bytes);
    lock.lock();

    writing_ = false;
    trouble_ = written ? std::nullopt : std::optional<Error>(std::move(written).error());
    changed_.notify_all();
  }
}

}  // namespace fulcrum::workloads
