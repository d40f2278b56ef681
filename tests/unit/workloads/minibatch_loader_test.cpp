#include "workloads/minibatch_loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "tests/unit/workloads/minibatch_values.h"

namespace fulcrum::workloads {
namespace {

// Sample i has target i and one input, i. Reading can be held up, and can fail.
class CountingDataset final : public Dataset {
 public:
  explicit CountingDataset(std::size_t size) : Dataset(test::one_number()), size_(size) {}

  std::size_t size() const override { return size_; }

  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext& context,
                      const Destination& into) const override {
    std::unique_lock lock(mutex_);
    last_context_ = context;
    ++reads_begun_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    auto* input = reinterpret_cast<float*>(into.inputs);
    auto* target = reinterpret_cast<std::int64_t*>(into.targets);
    for (const auto sample : samples) {
      if (sample == poison_) return fail(ErrorCode::io, "the disk is gone");
      if (sample == bomb_) throw std::runtime_error("a decoder threw");
      *input++ = static_cast<float>(sample);
      *target++ = static_cast<std::int64_t>(sample);
    }
    return {};
  }

  void hold(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  void wait_for_reads(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return reads_begun_ >= count; });
  }
  int reads_begun() const {
    const std::lock_guard lock(mutex_);
    return reads_begun_;
  }

  ReadContext last_context() const {
    const std::lock_guard lock(mutex_);
    return last_context_;
  }

  std::size_t poison_ = SIZE_MAX;
  std::size_t bomb_ = SIZE_MAX;

 private:
  std::size_t size_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int reads_begun_ = 0;
  mutable ReadContext last_context_;
  bool held_ = false;
};

using Targets = std::vector<std::int64_t>;

// Waits for on_ready.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    ++rings_;
    changed_.notify_all();
  }
  void wait(int rings) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, rings] { return rings_ >= rings; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int rings_ = 0;
};

MinibatchLoader::Options options_with(std::size_t workers) {
  MinibatchLoader::Options options;
  options.batch_size = 4;
  options.epochs = 3;
  options.seed = 9;
  options.workers = workers;
  options.prefetch = 2;
  return options;
}

std::vector<Targets> all_of(MinibatchLoader& loader) {
  std::vector<Targets> all;
  while (!loader.finished())
    all.push_back(test::targets_of(loader.next().value().minibatch));
  return all;
}

class Loader : public ::testing::Test {
 protected:
  std::shared_ptr<CountingDataset> dataset_ = std::make_shared<CountingDataset>(22);
  SystemClock clock_;
};

class LoaderWith : public Loader, public ::testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, LoaderWith, ::testing::Values(0, 1, 4));

TEST_P(LoaderWith, VisitsEverySampleOncePerEpoch) {
  MinibatchLoader loader(dataset_, options_with(GetParam()), {}, clock_);
  for (int epoch = 0; epoch < 3; ++epoch) {
    Targets seen;
    for (int i = 0; i < 6; ++i) {
      const auto targets = test::targets_of(loader.next().value().minibatch);
      EXPECT_EQ(targets.size(), i == 5 ? 2U : 4U);
      seen.insert(seen.end(), targets.begin(), targets.end());
    }
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 0; i < 22; ++i)
      EXPECT_EQ(seen[i], static_cast<std::int64_t>(i));
  }
  EXPECT_TRUE(loader.finished());
  EXPECT_FALSE(loader.ready());
}

TEST_P(LoaderWith, DeliversTheSameWhateverTheNumberOfWorkers) {
  MinibatchLoader in_line(dataset_, options_with(0), {}, clock_);
  MinibatchLoader loader(dataset_, options_with(GetParam()), {}, clock_);
  EXPECT_EQ(all_of(loader), all_of(in_line));
}

TEST_P(LoaderWith, StartsAtAnyPosition) {
  MinibatchLoader whole(dataset_, options_with(0), {}, clock_);
  const auto all = all_of(whole);
  for (std::uint64_t skipped = 0; skipped < all.size(); ++skipped) {
    MinibatchLoader rest(dataset_, options_with(GetParam()), {skipped / 6, skipped % 6}, clock_);
    EXPECT_EQ(all_of(rest),
              std::vector<Targets>(all.begin() + static_cast<std::ptrdiff_t>(skipped), all.end()));
  }
}

TEST_P(LoaderWith, KeepsTheDatasetsOrderWithoutShuffling) {
  auto options = options_with(GetParam());
  options.shuffle = false;
  MinibatchLoader loader(dataset_, options, {}, clock_);
  EXPECT_EQ(test::targets_of(loader.next().value().minibatch), (Targets{0, 1, 2, 3}));
  EXPECT_EQ(test::targets_of(loader.next().value().minibatch), (Targets{4, 5, 6, 7}));
}

TEST_P(LoaderWith, DeliversAnErrorInItsPlaceAndThenAlways) {
  auto options = options_with(GetParam());
  options.shuffle = false;
  dataset_->poison_ = 5;
  MinibatchLoader loader(dataset_, options, {}, clock_);
  EXPECT_TRUE(loader.next());
  for (int i = 0; i < 2; ++i) {
    const auto failed = loader.next();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().to_string(), "preparing minibatch 1 of epoch 0: the disk is gone");
    EXPECT_TRUE(loader.ready());
  }
}

TEST_P(LoaderWith, TurnsAnExceptionIntoAnError) {
  dataset_->bomb_ = 3;
  auto options = options_with(GetParam());
  options.shuffle = false;
  MinibatchLoader loader(dataset_, options, {}, clock_);
  const auto failed = loader.next();
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("a decoder threw"), std::string::npos);
}

TEST_P(LoaderWith, SaysSoAfterTheLastEpoch) {
  MinibatchLoader loader(dataset_, options_with(GetParam()), {3, 0}, clock_);
  EXPECT_TRUE(loader.finished());
  EXPECT_FALSE(loader.next());
}

TEST_F(Loader, WithoutWorkersIsAlwaysReady) {
  MinibatchLoader loader(dataset_, options_with(0), {}, clock_);
  EXPECT_TRUE(loader.ready());
  EXPECT_EQ(dataset_->reads_begun(), 0);
}

TEST_F(Loader, CallsOnReadyWhenTheNextMinibatchIsThere) {
  Bell bell;
  auto options = options_with(1);
  options.on_ready = [&bell] { bell.ring(); };
  dataset_->hold(true);
  MinibatchLoader loader(dataset_, options, {}, clock_);
  dataset_->wait_for_reads(1);
  EXPECT_FALSE(loader.ready());
  dataset_->hold(false);
  bell.wait(1);
  EXPECT_TRUE(loader.ready());
}

TEST_F(Loader, PreparesNoMoreThanItsWorkersMayBeAhead) {
  MinibatchLoader loader(dataset_, options_with(2), {}, clock_);
  dataset_->wait_for_reads(4);  // two workers, two each
  (void)loader.next();
  dataset_->wait_for_reads(5);
  EXPECT_EQ(dataset_->reads_begun(), 5);
}

TEST_F(Loader, TellsTheDatasetSeedAndEpoch) {
  MinibatchLoader loader(dataset_, options_with(0), {2, 1}, clock_);
  ASSERT_TRUE(loader.next());
  EXPECT_EQ(dataset_->last_context().seed, 9U);
  EXPECT_EQ(dataset_->last_context().epoch, 2U);
}

TEST_P(LoaderWith, KeepsShardsTogether) {
  auto options = options_with(GetParam());
  options.shard = 4;
  MinibatchLoader loader(std::make_shared<CountingDataset>(24), options, {}, clock_);
  for (const auto& targets : all_of(loader)) {
    for (const auto target : targets)
      EXPECT_EQ(target / 4, targets.front() / 4);
  }
}

TEST_F(Loader, StopsWithWorkInHand) {
  auto loader = std::make_unique<MinibatchLoader>(dataset_, options_with(4), LoaderPosition{}, clock_);
  dataset_->wait_for_reads(4);
  loader.reset();
  EXPECT_LE(dataset_->reads_begun(), 8);
}

// Time passes only while a minibatch is read.
class TickingDataset final : public Dataset {
 public:
  explicit TickingDataset(ManualClock& clock) : Dataset(test::one_number()), clock_(clock) {}
  std::size_t size() const override { return 8; }
  Expected<void> fill(const std::vector<std::size_t>&, const ReadContext&,
                      const Destination&) const override {
    clock_.advance(std::chrono::milliseconds(5));
    return {};
  }

 private:
  ManualClock& clock_;
};

TEST(LoaderTimes, WithoutWorkersDecodingStalls) {
  ManualClock clock;
  MinibatchLoader loader(std::make_shared<TickingDataset>(clock), options_with(0), {}, clock);
  const auto delivery = loader.next().value();
  EXPECT_EQ(delivery.stall, std::chrono::milliseconds(5));
  EXPECT_EQ(delivery.decode, std::chrono::milliseconds(5));
  EXPECT_EQ(delivery.queued, Duration{});
}

// One worker that may be one minibatch ahead reads the clock at no moment at which the test sets it.
class LoaderTimesWithAWorker : public ::testing::Test {
 protected:
  MinibatchLoader::Options options() {
    auto options = options_with(1);
    options.prefetch = 1;
    options.on_ready = [this] { bell_.ring(); };
    return options;
  }
  static constexpr std::chrono::milliseconds kDecode{7};

  Bell bell_;
  ManualClock clock_;
  std::shared_ptr<CountingDataset> dataset_ = std::make_shared<CountingDataset>(22);
};

TEST_F(LoaderTimesWithAWorker, StallLastsFromTheFirstRefusalUntilTheMinibatchIsThere) {
  dataset_->hold(true);
  MinibatchLoader loader(dataset_, options(), {}, clock_);
  dataset_->wait_for_reads(1);
  clock_.advance(std::chrono::milliseconds(3));
  EXPECT_FALSE(loader.ready());
  clock_.advance(std::chrono::milliseconds(4));
  EXPECT_FALSE(loader.ready());
  dataset_->hold(false);
  bell_.wait(1);
  clock_.advance(std::chrono::milliseconds(10));
  EXPECT_TRUE(loader.ready());
  const auto delivery = loader.next().value();
  EXPECT_EQ(delivery.decode, kDecode);
  EXPECT_EQ(delivery.stall, std::chrono::milliseconds(4));
  EXPECT_EQ(delivery.queued, std::chrono::milliseconds(10));
}

TEST_F(LoaderTimesWithAWorker, WhatNobodyWaitedForDidNotStall) {
  dataset_->hold(true);
  MinibatchLoader loader(dataset_, options(), {}, clock_);
  dataset_->wait_for_reads(1);
  clock_.advance(kDecode);
  dataset_->hold(false);
  bell_.wait(1);
  clock_.advance(std::chrono::milliseconds(2));
  const auto delivery = loader.next().value();
  EXPECT_EQ(delivery.decode, kDecode);
  EXPECT_EQ(delivery.stall, Duration{});
  EXPECT_EQ(delivery.queued, std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace fulcrum::workloads
