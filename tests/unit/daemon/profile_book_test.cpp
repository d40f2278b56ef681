#include "daemon/profile_book.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/temp_dir.h"
#include "tests/unit/daemon/planned_jobs.h"

namespace fulcrum::daemon {
namespace {

constexpr PowerMode kLow{4, 1113600, 420750000, 2133000000};
constexpr PowerMode kHigh{8, 1728000, 624750000, 3199000000};

ProfileBook open_book(const std::string& path, const std::string& board_id = "agx-orin") {
  auto book = ProfileBook::open(path, board_id, {true, 1});
  if (!book) throw std::runtime_error(book.error().to_string());
  return *std::move(book);
}

// The n-th of several measurements of one thing.
profiler::Measurement measurement(const ProfileBook& book, const JobSpec& spec, const PowerMode& mode,
                                  int batch_size, int n = 0) {
  profiler::Measurement m;
  m.key = book.key_of(spec, mode, batch_size);
  m.minibatches = 40;
  m.time = {10.25, 12.5, 10.5, 0.75};
  m.power_w = 23.125;
  m.measured_at_ms = 1'700'000'000'000 + n;
  m.cost_s = 2.5;
  return m;
}

class ProfileBookTest : public testing::Test {
 protected:
  void add(const JobSpec& spec, const PowerMode& mode, int batch_size, int n = 0) {
    const auto added = book_.add(measurement(book_, spec, mode, batch_size, n));
    ASSERT_TRUE(added) << added.error().to_string();
  }
  std::size_t listed(const ProfileBook::Workload& workload) {
    return book_.list(workload)->at("profiles").size();
  }
  Json exported() { return book_.export_part(std::nullopt, 0, 1000)->at("document"); }

  test::TempDir dir_;
  ProfileBook book_ = open_book(dir_ / "profiles.db");
  const JobSpec training_ = test::training_to_plan();
  const JobSpec inference_ = test::inference_to_plan(60, 100, {1, 4});
};

TEST_F(ProfileBookTest, ProfilesAreWhatWasMeasured) {
  add(training_, kHigh, 16);
  const auto profiles = book_.profiles_of(training_);
  ASSERT_TRUE(profiles);
  ASSERT_EQ(profiles->size(), 1u);
  const auto* profile = profiles->find(WorkloadTask::training, kHigh, 16);
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->p50_ms, 10.25);
  EXPECT_EQ(profile->p99_ms, 12.5);
  EXPECT_EQ(profile->power_w, 23.125);
}

TEST_F(ProfileBookTest, OneWorkloadsProfilesAreNotAnothers) {
  add(training_, kHigh, 16);
  EXPECT_EQ(book_.profiles_of(inference_)->size(), 0u);
}

TEST_F(ProfileBookTest, KnowsTheOtherWorkloadsOfItsBoard) {
  add(training_, kHigh, 16);
  add(inference_, kLow, 1);
  add(inference_, kHigh, 1);
  const auto foreign = open_book(dir_ / "profiles.db", "nano");
  ASSERT_TRUE(book_.add(measurement(foreign, training_, kLow, 16)));
  const auto others = book_.others({book_.fingerprint_of(training_)});
  ASSERT_TRUE(others);
  ASSERT_EQ(others->size(), 1U);
  EXPECT_EQ(others->front().size(), 2U);
  EXPECT_EQ(book_.others({}).value().size(), 2U);
}

TEST_F(ProfileBookTest, JobsThatDifferInNameAndBudgetAloneShareProfiles) {
  add(inference_, kHigh, 4);
  auto other = test::inference_to_plan(5, 400, {4, 16});
  other.name = "another";
  EXPECT_EQ(book_.profiles_of(other)->size(), 1u);
}

TEST_F(ProfileBookTest, MeasurementsOutliveTheBook) {
  add(training_, kHigh, 16);
  EXPECT_EQ(open_book(dir_ / "profiles.db").profiles_of(training_)->size(), 1u);
}

TEST_F(ProfileBookTest, AnotherBoardsProfilesAreNotThisOnes) {
  add(training_, kHigh, 16);
  EXPECT_EQ(open_book(dir_ / "profiles.db", "agx-xavier").profiles_of(training_)->size(), 0u);
}

TEST_F(ProfileBookTest, HasNoCalibrationBeforeOneIsKept) {
  EXPECT_EQ(book_.kappa_of(training_).value(), std::nullopt);
}

TEST_F(ProfileBookTest, TheFirstCalibrationIsKept) {
  ASSERT_TRUE(book_.keep_kappa(training_, 1.5));
  ASSERT_TRUE(book_.keep_kappa(training_, 2.5));
  EXPECT_EQ(book_.kappa_of(training_).value(), 1.5);
  EXPECT_EQ(book_.kappa_of(inference_).value(), std::nullopt) << "of one workload alone";
}

TEST_F(ProfileBookTest, ListsTheProfilesOfAllWorkloads) {
  add(training_, kHigh, 16);
  add(inference_, kHigh, 1);
  add(inference_, kHigh, 4);
  EXPECT_EQ(listed(std::nullopt), 3u);
}

TEST_F(ProfileBookTest, ListsTheProfilesOfOneWorkload) {
  add(training_, kHigh, 16);
  add(inference_, kHigh, 1);
  const auto found = book_.list(book_.fingerprint_of(inference_))->at("profiles");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at("workload"), book_.fingerprint_of(inference_));
  EXPECT_EQ(found[0].at("time_ms").at("p99"), 12.5);
}

TEST_F(ProfileBookTest, ForgetsOneWorkload) {
  add(training_, kHigh, 16);
  add(inference_, kHigh, 1);
  EXPECT_EQ(book_.forget(book_.fingerprint_of(inference_)).value(), Json({{"forgotten", 1}}));
  EXPECT_EQ(book_.profiles_of(inference_)->size(), 0u);
  EXPECT_EQ(book_.profiles_of(training_)->size(), 1u);
}

TEST_F(ProfileBookTest, ForgetsAWorkloadsCalibrationWithIt) {
  ASSERT_TRUE(book_.keep_kappa(training_, 1.5));
  ASSERT_TRUE(book_.keep_kappa(inference_, 2.5));
  ASSERT_TRUE(book_.forget(book_.fingerprint_of(inference_)));
  EXPECT_EQ(book_.kappa_of(inference_).value(), std::nullopt);
  EXPECT_EQ(book_.kappa_of(training_).value(), 1.5);
}

TEST_F(ProfileBookTest, ForgetsEverythingOfThisBoardAlone) {
  add(training_, kHigh, 16);
  add(inference_, kHigh, 1);
  auto elsewhere = open_book(dir_ / "profiles.db", "agx-xavier");
  ASSERT_TRUE(elsewhere.add(measurement(elsewhere, training_, kHigh, 16)));
  EXPECT_EQ(book_.forget(std::nullopt).value(), Json({{"forgotten", 2}}));
  EXPECT_EQ(listed(std::nullopt), 0u);
  EXPECT_EQ(elsewhere.profiles_of(training_)->size(), 1u);
}

TEST_F(ProfileBookTest, ForgettingAnUnknownWorkloadForgetsNothing) {
  add(training_, kHigh, 16);
  EXPECT_EQ(book_.forget("0123456789abcdef").value(), Json({{"forgotten", 0}}));
}

TEST_F(ProfileBookTest, ThePartsOfAnExportCoverEverythingOnce) {
  for (int n = 0; n < 7; ++n)
    add(n % 2 == 0 ? training_ : inference_, n < 4 ? kLow : kHigh, 4, n);
  const Json whole = exported().at("measurements");
  ASSERT_EQ(whole.size(), 7u);
  for (const std::size_t limit : {1U, 2U, 3U, 6U, 7U, 8U}) {
    Json parts = Json::array();
    Json next = 0;
    while (!next.is_null()) {
      const auto part = book_.export_part(std::nullopt, next.get<std::size_t>(), limit);
      ASSERT_TRUE(part);
      const auto& measurements = part->at("document").at("measurements");
      ASSERT_LE(measurements.size(), limit);
      ASSERT_FALSE(measurements.empty());
      parts.insert(parts.end(), measurements.begin(), measurements.end());
      next = part->at("next");
    }
    EXPECT_EQ(parts, whole) << limit;
  }
}

TEST_F(ProfileBookTest, AnExportOfNothingIsADocumentWithoutMeasurements) {
  const auto part = book_.export_part(std::nullopt, 0, 10);
  EXPECT_EQ(part->at("document"),
            Json({{"format", "fulcrum-profiles"}, {"version", 1}, {"measurements", Json::array()}}));
  EXPECT_EQ(part->at("next"), nullptr);
}

TEST_F(ProfileBookTest, AnExportFromBeyondTheEndIsEmpty) {
  add(training_, kHigh, 16);
  const auto part = book_.export_part(std::nullopt, 1'000'000'000, 10);
  EXPECT_TRUE(part->at("document").at("measurements").empty());
  EXPECT_EQ(part->at("next"), nullptr);
}

TEST_F(ProfileBookTest, ExportsOneWorkload) {
  add(training_, kHigh, 16);
  add(inference_, kHigh, 1);
  const auto part = book_.export_part(book_.fingerprint_of(training_), 0, 10);
  ASSERT_EQ(part->at("document").at("measurements").size(), 1u);
  EXPECT_EQ(part->at("document").at("measurements")[0].at("task"), "training");
}

TEST_F(ProfileBookTest, ImportsWhatAnEqualBoardExported) {
  auto there = open_book(dir_ / "there.db");
  ASSERT_TRUE(there.add(measurement(there, training_, kHigh, 16)));
  const auto document = there.export_part(std::nullopt, 0, 10)->at("document");
  EXPECT_EQ(book_.import(document, false).value(), Json({{"added", 1}, {"known", 0}}));
  EXPECT_EQ(book_.profiles_of(training_)->size(), 1u);
}

TEST_F(ProfileBookTest, ImportingASecondTimeChangesNothing) {
  add(training_, kHigh, 16);
  EXPECT_EQ(book_.import(exported(), false).value(), Json({{"added", 0}, {"known", 1}}));
  EXPECT_EQ(exported().at("measurements").size(), 1u);
}

TEST_F(ProfileBookTest, RefusesAnotherBoardsMeasurements) {
  auto there = open_book(dir_ / "there.db", "agx-xavier");
  ASSERT_TRUE(there.add(measurement(there, training_, kHigh, 16)));
  const auto document = there.export_part(std::nullopt, 0, 10)->at("document");
  const auto imported = book_.import(document, false);
  ASSERT_FALSE(imported);
  ASSERT_EQ(imported.error().size(), 1u);
  EXPECT_EQ(imported.error()[0].field, "/measurements/0/board");
  EXPECT_NE(imported.error()[0].message.find("agx-xavier"), std::string::npos);
  EXPECT_EQ(listed(std::nullopt), 0u);
}

TEST_F(ProfileBookTest, TakesAnotherBoardsMeasurementsIfSomebodyVouchesForIt) {
  auto there = open_book(dir_ / "there.db", "agx-xavier");
  ASSERT_TRUE(there.add(measurement(there, training_, kHigh, 16)));
  const auto document = there.export_part(std::nullopt, 0, 10)->at("document");
  ASSERT_TRUE(book_.import(document, true));
  EXPECT_EQ(book_.profiles_of(training_)->size(), 1u);
}

TEST_F(ProfileBookTest, TellsEveryFaultOfADocumentWithItsField) {
  add(training_, kHigh, 16);
  add(training_, kLow, 16);
  Json document = exported();
  document["measurements"][0]["power_w"] = -1;
  document["measurements"][1].erase("task");
  const auto imported = book_.import(document, false);
  ASSERT_FALSE(imported);
  std::vector<std::string> fields;
  for (const auto& fault : imported.error())
    fields.push_back(fault.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"/measurements/0/power_w", "/measurements/1/task"}));
}

TEST_F(ProfileBookTest, AFaultyDocumentAddsNothing) {
  add(training_, kHigh, 16);
  Json document = exported();
  ASSERT_TRUE(book_.forget(std::nullopt));
  document["measurements"].push_back(Json::object());
  EXPECT_FALSE(book_.import(document, false));
  EXPECT_EQ(listed(std::nullopt), 0u);
}

}  // namespace
}  // namespace fulcrum::daemon
