// Jobs whose models fail in the midst of training, beside others that go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using testing::HasSubstr;

class Fault : public testing::Test {
 protected:
  void SetUp() override { daemon_.start(); }

  // Fails from the hundredth forward pass on: not while it is tried, nor in the first minibatches.
  Json failing_job(const std::string& fault) {
    const std::string model = dir_ / "model.pt";
    const auto written =
        test::run_program(std::string(FULCRUM_WRITE_SCRIPT_MODEL) + " " + model + " 4 150 " + fault);
    EXPECT_EQ(written.status, 0) << written.output;
    Json job = test::training_json(dir_.path(), 100);
    job["name"] = "failing";
    job["model"] = {{"torchscript", model}};
    job.erase("output");
    return job;
  }
  std::string error_of(JobId job) {
    return daemon_.watch_until(job, [](const Json& event) { return event.value("state", "") == "failed"; })
        .value("error", "");
  }

  test::TempDir dir_;
  DaemonProcess daemon_{dir_.path()};
};

TEST_F(Fault, WithoutMemoryAJobFailsAlone) {
  const auto bystander = daemon_.submit(test::training_json(dir_.path(), 20));
  const auto failing = daemon_.submit(failing_job("memory"));
  const auto worker = daemon_.worker_pid();
  EXPECT_THAT(error_of(failing), HasSubstr("CUDA out of memory"));
  EXPECT_GT(daemon_.wait_for_result(bystander).at("accuracy"), 0.9);
  EXPECT_EQ(daemon_.worker_pid(), worker) << "the worker has survived";
}

TEST_F(Fault, ALostDeviceIsTakenUpByAnotherWorkerAndEndsTheJobTheThirdTime) {
  const auto bystander = daemon_.submit(test::training_json(dir_.path(), 20));
  const auto failing = daemon_.submit(failing_job("device"));
  const auto error = error_of(failing);
  EXPECT_THAT(error, HasSubstr("the worker died 3 times in a row of it"));
  EXPECT_THAT(error, HasSubstr("the GPU has failed"));
  EXPECT_GT(daemon_.wait_for_result(bystander).at("accuracy"), 0.9);
}

}  // namespace
}  // namespace fulcrum
