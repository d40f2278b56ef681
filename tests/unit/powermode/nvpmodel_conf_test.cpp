#include "powermode/nvpmodel_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fulcrum {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A small board of our own making, in the grammar that NVIDIA's files have.
const std::string kConf = R"(
# A board with four CPUs in two clusters.
< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_1 /sys/devices/system/cpu/cpu1/online
CORE_2 /sys/devices/system/cpu/cpu2/online
< PARAM TYPE=FILE NAME=TPC_POWER_GATING >
TPC_PG_MASK /sys/devices/gpu.0/tpc_pg_mask
< PARAM TYPE=CLOCK NAME=CPU_0 >
FREQ_TABLE /sys/devices/system/cpu/cpu0/cpufreq/scaling_available_frequencies
MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
< PARAM TYPE=CLOCK NAME=CPU_1 >
MAX_FREQ /sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq
< PARAM TYPE=CLOCK NAME=GPU >
MAX_FREQ /sys/devices/17000000.gpu/devfreq/17000000.gpu/max_freq
MAX_FREQ_KNEXT /sys/devices/17000000.gpu/devfreq_dev/max_freq
<PARAM TYPE=CLOCK NAME=EMC >
MAX_FREQ /sys/kernel/nvpmodel_emc_cap/emc_iso_cap
< PARAM TYPE=HWMON NAME=OC_LIMIT >
WARN /sys/bus/i2c/7-0040/hwmon curr1_max

< POWER_MODEL ID=0 NAME=MAXN >
CPU_ONLINE CORE_1 1
TPC_POWER_GATING TPC_PG_MASK 0
CPU_0 MAX_FREQ -1
GPU MAX_FREQ -1
EMC MAX_FREQ 0
< POWER_MODEL ID=7   NAME=SLOW >
CPU_ONLINE CORE_1 1
CPU_ONLINE CORE_2 0
TPC_POWER_GATING TPC_PG_MASK 240
CPU_0 MAX_FREQ 1113600 # 1479000
CPU_1  MAX_FREQ  1497600
GPU MAX_FREQ 408000000
EMC MAX_FREQ 2133000000
OC_LIMIT WARN 4000
< PM_CONFIG DEFAULT=7 >
< FAN_CONFIG DEFAULT=quiet >
)";

NvpmodelConf parsed(const std::string& text) {
  auto conf = parse_nvpmodel_conf(text, "nvpmodel.conf");
  EXPECT_TRUE(conf) << conf.error().front().to_string();
  return conf.value_or(NvpmodelConf{});
}

std::string faults_of(const std::string& text) {
  const auto conf = parse_nvpmodel_conf(text, "nvpmodel.conf");
  if (conf) return "accepted";
  std::string faults;
  for (const auto& fault : conf.error())
    faults += fault.to_string() + "\n";
  return faults;
}

std::string altered(const std::string& from, const std::string& to) {
  std::string text = kConf;
  text.replace(text.find(from), from.size(), to);
  return text;
}

NvpmodelCaps caps_of(int id, bool new_kernel = false) {
  const auto conf = parsed(kConf);
  return nvpmodel_caps(conf, *conf.model(id), new_kernel);
}

TEST(NvpmodelConf, TellsParamsModelsAndTheDefault) {
  const auto conf = parsed(kConf);
  EXPECT_EQ(conf.params.size(), 7U);
  ASSERT_EQ(conf.models.size(), 2U);
  EXPECT_EQ(conf.models[1].id, 7);
  EXPECT_EQ(conf.models[1].name, "SLOW");
  EXPECT_EQ(conf.default_id, 7);
  EXPECT_THAT(conf.remarks, IsEmpty());
}

TEST(NvpmodelConf, AHwmonParamHasADirectoryAndAnAttribute) {
  const auto conf = parsed(kConf);
  const auto* limit = conf.param("OC_LIMIT")->find("WARN", false);
  EXPECT_EQ(limit->path, "/sys/bus/i2c/7-0040/hwmon");
  EXPECT_EQ(limit->attribute, "curr1_max");
}

TEST(NvpmodelConf, ANewerKernelHasPathsOfItsOwn) {
  const auto conf = parsed(kConf);
  EXPECT_EQ(conf.param("GPU")->find("MAX_FREQ", true)->path,
            "/sys/devices/17000000.gpu/devfreq_dev/max_freq");
  EXPECT_EQ(conf.param("EMC")->find("MAX_FREQ", true)->path, "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap");
}

TEST(NvpmodelConf, CapsFollowThePathsAndNotTheNames) {
  const auto caps = caps_of(7);
  EXPECT_EQ(caps.cpu_khz, (std::map<int, std::int64_t>{{0, 1113600}, {2, 1497600}}));
  EXPECT_EQ(caps.online, (std::map<int, bool>{{1, true}, {2, false}}));
  EXPECT_EQ(caps.gpu_hz, 408000000);
  EXPECT_EQ(caps.emc_hz, 2133000000);
  EXPECT_EQ(caps.gating_masks,
            (std::map<std::string, std::int64_t>{{"/sys/devices/gpu.0/tpc_pg_mask", 240}}));
}

TEST(NvpmodelConf, MinusOneAndTheOldEmcsZeroAreNoCaps) {
  const auto caps = caps_of(0);
  EXPECT_THAT(caps.cpu_khz, IsEmpty());
  EXPECT_EQ(caps.gpu_hz, std::nullopt);
  EXPECT_EQ(caps.emc_hz, std::nullopt);
}

TEST(NvpmodelConf, OfTheNewEmcCapZeroIsTheLowestRate) {
  const auto conf =
      parsed(altered("/sys/kernel/nvpmodel_emc_cap/emc_iso_cap", "/sys/kernel/nvpmodel_clk_cap/emc"));
  EXPECT_EQ(nvpmodel_caps(conf, *conf.model(0), true).emc_hz, 0);
}

TEST(NvpmodelConf, WhatALargestNumberReadsBackAsIsNoCap) {
  for (const char* largest : {"2147483647", "9223372036854775807"}) {
    const auto conf = parsed(altered("EMC MAX_FREQ 2133000000", std::string("EMC MAX_FREQ ") + largest));
    EXPECT_EQ(nvpmodel_caps(conf, *conf.model(7), false).emc_hz, std::nullopt) << largest;
  }
}

TEST(NvpmodelConf, AMisspeltParamIsReportedAndPassedOver) {
  const auto conf = parsed(altered("GPU MAX_FREQ 408000000", "GPUU MAX_FREQ 408000000"));
  EXPECT_THAT(conf.remarks, ElementsAre(HasSubstr("nvpmodel.conf:33:1: there is no param 'GPUU'")));
  EXPECT_EQ(conf.model(7)->settings.size(), 7U);
}

TEST(NvpmodelConf, WhatIsNotKnownIsReportedAndPassedOver) {
  EXPECT_THAT(parsed(altered("TYPE=HWMON", "TYPE=ORACLE")).remarks,
              ElementsAre(HasSubstr("'ORACLE'"), HasSubstr("there is no param 'OC_LIMIT'")));
  EXPECT_THAT(parsed(altered("< FAN_CONFIG", "< TEA_CONFIG")).remarks,
              ElementsAre(HasSubstr("'TEA_CONFIG'")));
  EXPECT_THAT(parsed("stray line\n" + kConf).remarks, ElementsAre(HasSubstr("nvpmodel.conf:1:1")));
  EXPECT_THAT(parsed(altered("ID=7   NAME=SLOW", "ID=7 LITE NAME=SLOW")).remarks,
              ElementsAre(HasSubstr("'LITE'")));
}

TEST(NvpmodelConf, IdsMayBeginAnywhereAndHaveGaps) {
  EXPECT_EQ(parsed("< POWER_MODEL ID=17 NAME=MINE >\n< PM_CONFIG DEFAULT=17 >").model(17)->name, "MINE");
}

TEST(NvpmodelConf, ADefaultThatIsNotThereIsReported) {
  EXPECT_THAT(parsed(altered("DEFAULT=7", "DEFAULT=3")).remarks, ElementsAre(HasSubstr("default ID 3")));
  EXPECT_THAT(parsed(altered("< PM_CONFIG DEFAULT=7 >", "")).remarks, ElementsAre(HasSubstr("PM_CONFIG")));
}

TEST(NvpmodelConf, LinesMayEndAsWindowsEndsThem) {
  std::string text;
  for (const char c : kConf)
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parsed(text).model(7)->settings.back().value, "4000");
}

struct Broken {
  const char* from;
  const char* to;
  const char* fault;
};
class BrokenConf : public testing::TestWithParam<Broken> {};

TEST_P(BrokenConf, IsRefusedWithItsPlace) {
  EXPECT_THAT(faults_of(altered(GetParam().from, GetParam().to)), HasSubstr(GetParam().fault));
}
INSTANTIATE_TEST_SUITE_P(
    Faults, BrokenConf,
    testing::Values(Broken{"< POWER_MODEL ID=0 NAME=MAXN >", "< POWER_MODEL ID=0 NAME=MAXN",
                           "nvpmodel.conf:21:1: a section's head"},
                    Broken{"ID=0 NAME=MAXN", "NAME=MAXN", "nvpmodel.conf:21:3: a POWER_MODEL needs a ID"},
                    Broken{"ID=0", "ID=zero", "nvpmodel.conf:21:15: 'zero' is no ID"},
                    Broken{"ID=7", "ID=0", "a second power model with the ID 0"},
                    Broken{"CPU_0 MAX_FREQ -1", "CPU_0 MAX_FREQ", "nvpmodel.conf:24:1: a line of 'MAXN'"},
                    Broken{"CPU_0 MAX_FREQ -1", "CPU_0 MAX_FREQ fast",
                           "nvpmodel.conf:24:16: a clock is a whole"},
                    Broken{"FREQ_TABLE /sys", "FREQ_TABLE sys", "nvpmodel.conf:9:1: 'FREQ_TABLE' of 'CPU_0'"},
                    Broken{"PM_CONFIG DEFAULT=7", "PM_CONFIG DEFAULT=", "a PM_CONFIG needs a DEFAULT"}));

TEST(NvpmodelConf, EveryFaultIsTold) {
  EXPECT_THAT(faults_of("< POWER_MODEL ID=x NAME=A >\n< POWER_MODEL ID=1 >\n"),
              testing::AllOf(HasSubstr(":1:"), HasSubstr(":2:")));
}

TEST(NvpmodelConf, AFileWithoutModelsIsRefused) {
  EXPECT_THAT(faults_of(""), HasSubstr("no power model"));
}

}  // namespace
}  // namespace fulcrum
