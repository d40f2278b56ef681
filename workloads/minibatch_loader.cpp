#include "workloads/minibatch_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/on_behalf_of.h"
#include "workloads/shuffle.h"

namespace fulcrum::workloads {

std::uint64_t MinibatchLoader::minibatches_per_epoch(std::size_t dataset_size, std::size_t batch_size) {
  return (dataset_size + batch_size - 1) / batch_size;
}

MinibatchLoader::MinibatchLoader(std::shared_ptr<const Dataset> dataset, Options options,
                                 LoaderPosition start, const Clock& clock)
    : dataset_(std::move(dataset)),
      options_(std::move(options)),
      clock_(clock),
      memory_(options_.allocate),
      per_epoch_(minibatches_per_epoch(dataset_->size(), options_.batch_size)),
      end_(options_.epochs * per_epoch_),
      to_claim_(start.epoch * per_epoch_ + start.minibatch),
      to_deliver_(to_claim_),
      slots_(options_.workers * options_.prefetch) {
  for (std::size_t i = 0; i < options_.workers; ++i)
    threads_.emplace_back([this, job = job_of_this_thread()] {
      const OnBehalfOf owner(job);
      work();
    });
}

MinibatchLoader::~MinibatchLoader() {
  stop();
}

void MinibatchLoader::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_all();
  for (auto& thread : threads_)
    thread.join();
  threads_.clear();
}

bool MinibatchLoader::ready() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return true;
  if (to_deliver_ >= end_) return false;
  if (slots_.empty() || slots_[to_deliver_ % slots_.size()].has_value()) return true;
  if (!wanted_) wanted_ = clock_.now();
  return false;
}

bool MinibatchLoader::finished() const {
  const std::lock_guard lock(mutex_);
  return to_deliver_ >= end_;
}

Expected<MinibatchLoader::Delivery> MinibatchLoader::next() {
  const TimePoint asked = clock_.now();
  std::unique_lock lock(mutex_);
  if (failure_) return Unexpected(*failure_);
  if (to_deliver_ >= end_) return fail(ErrorCode::internal, "a minibatch was asked for after the last epoch");

  if (slots_.empty()) return deliver(prepare(claim()), asked);
  auto& slot = slots_[to_deliver_ % slots_.size()];
  prepared_.wait(lock, [&slot] { return slot.has_value(); });
  std::optional<Prepared> taken;
  taken.swap(slot);
  auto delivery = deliver(std::move(*taken), asked);
  lock.unlock();
  room_.notify_one();
  return delivery;
}

Expected<MinibatchLoader::Delivery> MinibatchLoader::deliver(Prepared prepared, TimePoint asked) {
  const TimePoint wanted = std::min(wanted_.value_or(asked), asked);
  wanted_.reset();
  if (!prepared.minibatch) {
    failure_ = std::move(prepared.minibatch).error();
    return Unexpected(*failure_);
  }
  ++to_deliver_;
  return Delivery{std::move(*prepared.minibatch), std::max(Duration{}, prepared.at - wanted), prepared.decode,
                  std::max(Duration{}, asked - prepared.at)};
}

MinibatchLoader::Task MinibatchLoader::claim() {
  const std::uint64_t sequence = to_claim_++;
  const LoaderPosition position{sequence / per_epoch_, sequence % per_epoch_};
  if (order_ == nullptr || order_epoch_ != position.epoch) {
    order_ = std::make_shared<EpochOrder>();
    order_epoch_ = position.epoch;
  }
  return {sequence, position, order_};
}

std::vector<std::size_t> MinibatchLoader::samples_of(const Task& task) const {
  auto& all = task.order->samples;
  std::call_once(task.order->made, [&] {
    if (options_.shuffle) {
      all = shuffled(dataset_->size(), options_.seed, task.position.epoch, options_.shard);
    } else {
      all.resize(dataset_->size());
      std::iota(all.begin(), all.end(), std::size_t{0});
    }
  });
  const std::size_t first = task.position.minibatch * options_.batch_size;
  const std::size_t last = std::min(first + options_.batch_size, all.size());
  const auto at = [&all](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(first), at(last)};
}

MinibatchLoader::Prepared MinibatchLoader::prepare(const Task& task) {
  const TimePoint begin = clock_.now();
  auto minibatch = read(task);
  const TimePoint end = clock_.now();
  return {std::move(minibatch), end - begin, end};
}

Expected<Minibatch> MinibatchLoader::read(const Task& task) {
  try {
    auto minibatch = dataset_->read(samples_of(task), {options_.seed, task.position.epoch, &memory_});
    if (minibatch) return minibatch;
    return in_context(
        std::move(minibatch).error(),
        fmt::format("preparing minibatch {} of epoch {}", task.position.minibatch, task.position.epoch));
  } catch (const std::exception& e) {
    return fail(ErrorCode::internal, fmt::format("preparing a minibatch: {}", e.what()));
  }
}

void MinibatchLoader::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    room_.wait(lock, [this] { return stopping_ || may_claim(); });
    if (stopping_) return;
    const Task task = claim();

    lock.unlock();
    auto prepared = prepare(task);
    lock.lock();

    slots_[task.sequence % slots_.size()] = std::move(prepared);
    if (task.sequence != to_deliver_) continue;
    prepared_.notify_one();
    if (options_.on_ready) {
      lock.unlock();
      options_.on_ready();
      lock.lock();
    }
  }
}

}  // namespace fulcrum::workloads
