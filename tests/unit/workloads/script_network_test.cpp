#include "workloads/script_network.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <caffe2/serialize/inline_container.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <sstream>

#include "tests/support/script_models.h"
#include "tests/unit/workloads/tiny_job.h"

namespace fulcrum::workloads {
namespace {

using testing::HasSubstr;

// The archive once more, with `text` replaced by `by` in its code, and as of the format `version`.
std::string rewritten(const std::string& path, const std::string& text, const std::string& by,
                      std::uint64_t version = caffe2::serialize::kProducedFileFormatVersion) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  std::ostringstream out;
  {
    caffe2::serialize::PyTorchStreamWriter writer([&out](const void* bytes, std::size_t n) {
      out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(n));
      return n;
    });
    writer.setMinVersion(version);
    for (const auto& name : reader.getAllRecords()) {
      if (name == "version") continue;  // the writer's own
      const auto [data, size] = reader.getRecord(name);
      std::string record(static_cast<const char*>(data.get()), size);
      for (auto at = text.empty() ? std::string::npos : record.find(text); at != std::string::npos;
           at = record.find(text, at + by.size()))
        record.replace(at, text.size(), by);
      writer.writeRecord(name, record.data(), record.size());
    }
    writer.writeEndOfFile();
  }
  return out.str();
}

class ScriptFile : public ::testing::Test {
 protected:
  JobSpec training_with(const std::string& path) {
    JobSpec spec = test::tiny_training_job(directory_.path());
    spec.model = {};
    spec.model.torchscript = path;
    return spec;
  }
  JobSpec inference_with(const std::string& path) {
    JobSpec spec = test::tiny_inference_job(directory_.path());
    spec.model = {};
    spec.model.torchscript = path;
    return spec;
  }
  std::string saved(const torch::jit::Module& module) {
    return test::save_script(directory_ / "model.pt", module);
  }
  std::string spilled(const std::string& bytes) {
    test::spill(directory_ / "model.pt", bytes);
    return directory_ / "model.pt";
  }
  static Error error_of(const JobSpec& spec) {
    const auto file = read_model_file(spec);
    EXPECT_FALSE(file);
    if (file) return {};
    EXPECT_EQ(file.error().field, "/model/torchscript");
    EXPECT_FALSE(file.error().hint.empty());
    return file.error();
  }

  test::TempDir directory_;
};

TEST_F(ScriptFile, IsReadForTrainingAndForInference) {
  const auto path = saved(test::perceptron());
  EXPECT_TRUE(read_model_file(training_with(path)));
  EXPECT_TRUE(read_model_file(inference_with(path)));
}

TEST_F(ScriptFile, OfABuiltinModelIsNull) {
  EXPECT_EQ(read_model_file(test::tiny_training_job(directory_.path())).value(), nullptr);
}

TEST_F(ScriptFile, ThatIsNoArchiveIsRefused) {
  EXPECT_THAT(error_of(training_with(spilled("weights"))).message, HasSubstr("is no TorchScript archive"));
  EXPECT_THAT(error_of(training_with(spilled(""))).message, HasSubstr("is no TorchScript archive"));
}

TEST_F(ScriptFile, ThatTorchSaveWroteIsRefused) {
  const auto bytes = torch::jit::pickle_save(at::ones({2}));
  const auto error = error_of(training_with(spilled({bytes.begin(), bytes.end()})));
  EXPECT_THAT(error.message, HasSubstr("as torch.save() writes it"));
}

TEST_F(ScriptFile, ThatIsCutOffIsRefused) {
  const std::string whole = test::slurp(saved(test::perceptron()));
  for (const std::size_t size : {whole.size() / 2, whole.size() - 30}) {
    EXPECT_EQ(error_of(training_with(spilled(whole.substr(0, size)))).code, ErrorCode::corrupt) << size;
  }
}

TEST_F(ScriptFile, OfANewerPyTorchIsRefused) {
  const auto error = error_of(training_with(spilled(
      rewritten(saved(test::perceptron()), "", "", caffe2::serialize::kMaxSupportedFileFormatVersion + 1))));
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_THAT(error.message, HasSubstr("newer PyTorch"));
}

TEST_F(ScriptFile, WithAnOperatorThatIsUnknownIsRefused) {
  const auto error = error_of(
      training_with(spilled(rewritten(saved(test::perceptron()), "torch.matmul(", "torch.newmul("))));
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_THAT(error.message, HasSubstr("aten::newmul"));
}

TEST_F(ScriptFile, WhoseCodeIsDamagedIsRefused) {
  EXPECT_EQ(
      error_of(training_with(spilled(rewritten(saved(test::perceptron()), "def forward", "def def")))).code,
      ErrorCode::corrupt);
}

TEST_F(ScriptFile, WithoutForwardIsRefused) {
  const auto path = saved(test::perceptron("def run(self, x):\n    return x"));
  EXPECT_THAT(error_of(training_with(path)).message, HasSubstr("no method 'forward'"));
  EXPECT_THAT(error_of(inference_with(path)).message, HasSubstr("no method 'forward'"));
}

TEST_F(ScriptFile, WithoutParametersCannotBeTrainedButServes) {
  torch::jit::Module module("bare");
  module.define("def forward(self, x):\n    return x.flatten(1)\n");
  const auto path = saved(module);
  EXPECT_THAT(error_of(training_with(path)).message, HasSubstr("has no parameters"));
  EXPECT_TRUE(read_model_file(inference_with(path)));
}

TEST_F(ScriptFile, WhoseParametersAreAllFrozenCannotBeTrained) {
  auto module = test::perceptron();
  for (auto parameter : module.parameters())
    parameter.set_requires_grad(false);
  EXPECT_THAT(error_of(training_with(saved(module))).message, HasSubstr("none of the model's 3 parameters"));
}

TEST_F(ScriptFile, WhoseForwardTakesOtherArgumentsIsRefused) {
  const auto path =
      saved(test::perceptron("def forward(self, x, y):\n    return torch.matmul(x.flatten(1), self.w1)"));
  EXPECT_THAT(error_of(training_with(path)).hint, HasSubstr("in_model"));
  EXPECT_THAT(error_of(inference_with(path)).message, HasSubstr("called as forward(input)"));
}

TEST_F(ScriptFile, WhoseForwardHasDefaultsIsTaken) {
  const auto path = saved(test::perceptron(
      "def forward(self, x, scale: float = 1.0):\n    return torch.matmul(x.flatten(1), self.w1)"));
  EXPECT_TRUE(read_model_file(training_with(path)));
}

// As torch.jit.trace leaves them: what to do in training is a constant.
TEST_F(ScriptFile, WithoutASwitchForDropoutIsNotTrained) {
  const auto traced = [](const char* training) {
    return test::perceptron(
        std::string("def forward(self, x):\n    return torch.dropout(torch.matmul(x.flatten(1), "
                    "self.w1), 0.5, ") +
        training + ")");
  };
  const auto in_evaluation = saved(traced("False"));
  EXPECT_THAT(error_of(training_with(in_evaluation)).message, HasSubstr("aten::dropout (1 of them)"));
  EXPECT_TRUE(read_model_file(inference_with(in_evaluation)));
  const auto in_training = saved(traced("True"));
  EXPECT_THAT(error_of(training_with(in_training)).hint, HasSubstr("torch.jit.script"));
  EXPECT_THAT(error_of(inference_with(in_training)).hint, HasSubstr("model.eval()"));
}

TEST_F(ScriptFile, ATracedModelWithNothingToSwitchIsTrained) {
  const auto path = saved(test::perceptron(
      "def forward(self, x):\n    return torch.dropout(torch.matmul(x.flatten(1), self.w1), 0.0, False)"));
  EXPECT_TRUE(read_model_file(training_with(path)));
}

class ScriptNetworks : public ScriptFile {
 protected:
  std::unique_ptr<Network> network() {
    file_ = read_model_file(training_with(saved(test::perceptron()))).value();
    return make_script_network(*file_, c10::Device(c10::kCPU), Execution::as_written);
  }
  const at::Tensor batch_ = at::ones({2, 1, 28, 28});
  std::shared_ptr<const ModelFile> file_;
};

TEST_F(ScriptNetworks, AnswersAsTheModuleDoes) {
  const auto net = network();
  net->set_training(false);
  auto module = torch::jit::load(directory_ / "model.pt");
  module.eval();
  EXPECT_TRUE(at::equal(net->forward(batch_), module.forward({batch_}).toTensor()));
}

TEST_F(ScriptNetworks, KeepsEverythingInItsState) {
  const auto net = network();
  net->forward(batch_);
  const auto state = net->save();
  const auto digest = digest_of(*net);
  net->forward(batch_);
  EXPECT_NE(digest_of(*net), digest) << "its buffer counts";
  const auto parameters = net->parameters();
  net->load(state);
  EXPECT_EQ(digest_of(*net), digest);
  std::istringstream again(net->save());
  EXPECT_EQ(torch::jit::load(again).attr("calls").toInt(), 1) << "an attribute that is no tensor";
  ASSERT_EQ(net->parameters().size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    EXPECT_TRUE(net->parameters()[i].is_same(parameters[i])) << "an optimizer holds them";
}

TEST_F(ScriptNetworks, RefuseTheStateOfAnother) {
  const auto net = network();
  std::ostringstream other;
  test::perceptron(test::kPerceptronForward, {5, 784}).save(other);
  EXPECT_THROW(net->load(other.str()), std::exception);
  EXPECT_THROW(net->load("no archive"), std::exception);
}

TEST_F(ScriptNetworks, CloneSharesNoWeights) {
  const auto net = network();
  const auto before = digest_of(*net);
  const auto clone = net->clone();
  EXPECT_EQ(digest_of(*clone), before);
  ASSERT_EQ(clone->parameters().size(), 3U);
  for (const auto& parameter : clone->parameters())
    EXPECT_TRUE(parameter.is_leaf() && parameter.requires_grad());
  clone->parameters().front().data().add_(1);
  EXPECT_EQ(digest_of(*net), before);
}

TEST_F(ScriptNetworks, TheTrainedModuleIsInEvaluation) {
  std::istringstream trained(network()->save_trained());
  EXPECT_FALSE(torch::jit::load(trained).is_training());
}

TEST_F(ScriptNetworks, TiedWeightsAreTrainedOnce) {
  auto module = test::perceptron();
  module.register_parameter("again", module.attr("w1").toTensor(), false);
  const ModelFile file{module, ""};
  EXPECT_EQ(make_script_network(file, c10::Device(c10::kCPU), Execution::as_written)->parameters().size(),
            3U);
}

}  // namespace
}  // namespace fulcrum::workloads
