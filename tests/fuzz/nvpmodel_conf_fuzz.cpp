// A foreign nvpmodel.conf, and what its models ask for.

#include <set>
#include <string>

#include "powermode/nvpmodel_conf.h"
#include "tests/fuzz/promise.h"

namespace {

using namespace fulcrum;
using fuzz::promise;

void check_model(const NvpmodelConf& conf, const NvpmodelConf::Model& model) {
  promise(!model.name.empty() && model.id >= 0, "a model has a name and an ID");
  for (const auto& setting : model.settings) {
    const auto* param = conf.param(setting.param);
    promise(param != nullptr && param->find(setting.argument, false) != nullptr, "a setting has its param");
  }
  for (const bool new_kernel : {false, true}) {
    const auto caps = nvpmodel_caps(conf, model, new_kernel);
    for (const auto& [cpu, khz] : caps.cpu_khz)
      promise(khz >= 0, "a cap is no less than nothing");
    promise(!caps.gpu_hz || *caps.gpu_hz >= 0, "a cap is no less than nothing");
    promise(!caps.emc_hz || *caps.emc_hz >= 0, "a cap is no less than nothing");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto conf = parse_nvpmodel_conf(fuzz::as_text(data, size), "fuzz");
  if (!conf) {
    promise(!conf.error().empty(), "a refusal has faults");
    for (const auto& fault : conf.error()) {
      fuzz::promise_reason(fault);
      promise(fault.message.rfind("fuzz:", 0) == 0, "a fault has its place");
    }
    return 0;
  }
  promise(!conf->models.empty(), "a file has models");
  std::set<int> ids;
  for (const auto& model : conf->models) {
    promise(ids.insert(model.id).second, "an ID is given once");
    check_model(*conf, model);
  }
  return 0;
}
