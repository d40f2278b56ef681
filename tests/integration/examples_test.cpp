// The examples that the installation brings are taken as they are.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/integration/daemon_process.h"
#include "tests/support/image_files.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

namespace fs = std::filesystem;

class Examples : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& file : fs::directory_iterator(FULCRUM_EXAMPLES_DIR))
      fs::copy(file.path(), dir_.path());
    // What they say lies beside them.
    for (const char* model : {"resnet18-train.pt", "resnet18-infer.pt"}) {
      const auto written =
          test::run_program(std::string(FULCRUM_WRITE_SCRIPT_MODEL) + " " + (dir_ / model) + " 10 1 none");
      ASSERT_EQ(written.status, 0) << written.output;
    }
    for (const char* part : {"train", "test"}) {
      const std::string folder = dir_ / (std::string("photos/") + part + "/shoe");
      fs::create_directories(folder);
      test::spill(folder + "/1.jpg", test::jpeg_bytes(test::plain_image(40, 40, {128})));
    }
    daemon_.start();
  }
  test::ProgramResult submit(const std::string& options, const std::string& example) {
    return test::run_program(test::program("fulcrumctl") + " --socket " + daemon_.socket() + " submit " +
                             options + " " + (dir_ / example));
  }

  test::TempDir dir_;
  test::DaemonProcess daemon_{dir_.path()};
};

TEST_F(Examples, CanBeSubmitted) {
  // One of them serves what another learns.
  const auto first = submit("", "train-fashion-mnist.yaml");
  ASSERT_EQ(first.status, 0) << first.output;
  int examples = 0;
  for (const auto& file : fs::directory_iterator(FULCRUM_EXAMPLES_DIR)) {
    const auto name = file.path().filename().string();
    const auto tried = submit("--dry-run", name);
    EXPECT_EQ(tried.status, 0) << name << ": " << tried.output;
    ++examples;
  }
  EXPECT_GT(examples, 5);
}

}  // namespace
}  // namespace fulcrum
