// The simulated board through the kernel: each test mounts one, where the machine lets it.

#include "powermode/simulated_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <future>

#include "common/logging.h"
#include "powermode/board.h"
#include "powermode/board_lease.h"
#include "powermode/nvpmodel_program.h"
#include "powermode/real_file_tree.h"
#include "powermode/simulated_nvpmodel.h"
#include "tests/unit/powermode/mounted_board.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using NodeKind = SimulatedFileTree::NodeInfo::Kind;
namespace node = test::node;

// What a tree says of a path, also if that is an error.
std::string said(const FileTree& tree, const std::string& path, NodeKind kind) {
  const auto names = [&]() -> Expected<std::string> {
    FULCRUM_TRY_ASSIGN(list, tree.list(path));
    return fmt::format("{}", fmt::join(list, " "));
  };
  const auto text = kind == NodeKind::directory ? names()
                    : kind == NodeKind::link    ? tree.readlink(path)
                                                : tree.read(path);
  return text ? *text : text.error().to_string();
}

class SimulatedMountTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!mounted_.refused().empty()) GTEST_SKIP() << "no mount on this machine: " << mounted_.refused();
    tree_ = open_mount();
  }

  std::unique_ptr<RealFileTree> open_mount() const {
    auto opened = RealFileTree::open(mounted_.mountpoint());
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  UniqueFd open(const std::string& path, int flags) const {
    return UniqueFd(::open(mounted_.on_mount(path).c_str(), flags | O_CLOEXEC, 0644));
  }
  // 0, or the errno.
  int try_open(const std::string& path, int flags) const { return open(path, flags).valid() ? 0 : errno; }
  int try_read(const std::string& path) const {
    const auto fd = open(path, O_RDONLY);
    char text[4096];
    return fd.valid() && ::read(fd.get(), text, sizeof text) >= 0 ? 0 : errno;
  }
  int try_write(const std::string& path, const std::string& value) const {
    const auto fd = open(path, O_WRONLY | O_TRUNC);
    return fd.valid() && ::write(fd.get(), value.data(), value.size()) >= 0 ? 0 : errno;
  }
  struct stat look(const std::string& path) const {
    struct stat found {};
    EXPECT_EQ(::lstat(mounted_.on_mount(path).c_str(), &found), 0) << path;
    return found;
  }

  // Calls visit(path, kind) for everything on the board, as the direct tree has it.
  void each_entry(const std::string& path,
                  const std::function<void(const std::string&, NodeKind)>& visit) const {
    for (const auto& name : mounted_.tree().list(path).value_or(std::vector<std::string>())) {
      const std::string entry = (path == "/" ? "" : path) + "/" + name;
      const auto kind = mounted_.tree().sys_lstat(entry).value()->kind;
      visit(entry, kind);
      if (kind == NodeKind::directory) each_entry(entry, visit);
    }
  }

  test::MountedBoard mounted_;
  std::unique_ptr<RealFileTree> tree_;
};

TEST_F(SimulatedMountTest, TellsWhenItAnswers) {
  EXPECT_EQ(mounted_.line().rfind("mounted agx-orin at " + mounted_.mountpoint() + "; ", 0), 0U)
      << mounted_.line();
  EXPECT_EQ(tree_->list("/").value(),
            (std::vector<std::string>{"etc", "proc", "simulated", "sys", "usr", "var"}));
}

TEST_F(SimulatedMountTest, SaysWhatTheDirectTreeSays) {
  std::size_t entries = 0;
  each_entry("/", [&](const std::string& path, NodeKind kind) {
    ++entries;
    EXPECT_TRUE(tree_->exists(path)) << path;
    if (path == kSimulatedNvpmodelProgram) return;  // only on a mount can it be run
    EXPECT_EQ(said(*tree_, path, kind), said(mounted_.tree(), path, kind));
  });
  EXPECT_GT(entries, 100U);
}

TEST_F(SimulatedMountTest, ItsNvpmodelRuns) {
  const NvpmodelProgram program(mounted_.on_mount(kSimulatedNvpmodelProgram), std::chrono::seconds(60));
  const auto query = program.query();
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(query->mode_name, "MAXN");
  ASSERT_TRUE(program.set(3));
  EXPECT_EQ(mounted_.tree().read(node::gpu_max).value(), "828750000\n");
}

TEST_F(SimulatedMountTest, LooksLikeSysfs) {
  EXPECT_EQ(look("/sys/class").st_mode, S_IFDIR | 0555U);
  EXPECT_EQ(look(node::gpu_max).st_mode, S_IFREG | 0644U);
  EXPECT_EQ(look(node::gpu_max).st_size, 4096);
  EXPECT_EQ(look(node::cpu_dir + "/possible").st_mode, S_IFREG | 0444U);
  EXPECT_EQ(look("/sys/class/devfreq/17000000.ga10b").st_mode, S_IFLNK | 0777U);
  EXPECT_EQ(look(node::gpu_max).st_uid, ::geteuid());
}

TEST_F(SimulatedMountTest, OneReadGetsTheTextAndTheNextItsEnd) {
  const auto file = open(node::gpu_max, O_RDONLY);
  char text[4096];
  ASSERT_EQ(::read(file.get(), text, sizeof text), 11);
  EXPECT_EQ(std::string(text, 11), "1300500000\n");
  EXPECT_EQ(::read(file.get(), text, sizeof text), 0);
  EXPECT_EQ(::pread(file.get(), text, 4, 7), 4);
  EXPECT_EQ(std::string(text, 4), "000\n");
}

TEST_F(SimulatedMountTest, AReadAtTheStartIsANewLook) {
  const auto file = open(node::gpu_max, O_RDONLY);
  ASSERT_TRUE(mounted_.tree().write(node::gpu_max, "318750000"));
  char text[4096];
  ASSERT_EQ(::pread(file.get(), text, sizeof text, 0), 10);
  ASSERT_TRUE(mounted_.tree().write(node::gpu_max, "1300500000"));
  EXPECT_EQ(::pread(file.get(), text, 3, 7), 3);  // goes on in what was read before
  EXPECT_EQ(std::string(text, 3), "00\n");
  EXPECT_EQ(::pread(file.get(), text, sizeof text, 0), 11);
}

TEST_F(SimulatedMountTest, OneWriteIsOneStore) {
  const auto file = open(node::gpu_max, O_WRONLY | O_TRUNC);
  EXPECT_EQ(::ftruncate(file.get(), 0), 0);
  EXPECT_EQ(mounted_.tree().read(node::gpu_max).value(), "1300500000\n");
  EXPECT_EQ(::write(file.get(), "318750000\n", 10), 10);
  EXPECT_EQ(mounted_.tree().read(node::gpu_max).value(), "318750000\n");
  EXPECT_EQ(::write(file.get(), "1300500000\n", 11), 11);
  EXPECT_EQ(mounted_.tree().read(node::gpu_max).value(), "1300500000\n");
}

TEST_F(SimulatedMountTest, WritesThroughTheTree) {
  ASSERT_TRUE(tree_->write("/sys/class/devfreq/17000000.ga10b/max_freq", "318750000"));
  EXPECT_EQ(mounted_.tree().read(node::gpu_max).value(), "318750000\n");
}

TEST_F(SimulatedMountTest, ErrnosComeThrough) {
  EXPECT_EQ(try_write(node::online(0), "0"), EPERM);
  EXPECT_EQ(try_write(node::gpu_max, "fast"), EINVAL);
  EXPECT_EQ(try_open(node::cpu_dir + "/possible", O_WRONLY), EACCES);
  EXPECT_EQ(try_open(node::gpu_dir, O_WRONLY), EISDIR);
  EXPECT_EQ(try_open(node::gpu_max, O_RDONLY | O_DIRECTORY), ENOTDIR);
  EXPECT_EQ(try_open("/sys/nothing", O_RDONLY), ENOENT);
  EXPECT_EQ(try_open("/sys/nothing", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(::mkdir(mounted_.on_mount("/sys/new").c_str(), 0755), -1);
  EXPECT_EQ(::unlink(mounted_.on_mount(node::gpu_max).c_str()), -1);
}

TEST_F(SimulatedMountTest, ErrnosOfFaultsComeThrough) {
  const std::pair<const char*, int> errors[] = {
      {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EBUSY", EBUSY}, {"EINVAL", EINVAL},      {"EIO", EIO},
      {"ENODEV", ENODEV}, {"ENOENT", ENOENT}, {"EPERM", EPERM}, {"ETIMEDOUT", ETIMEDOUT}};
  for (const auto& [name, number] : errors) {
    mounted_.fault(node::gpu_max, Kind::write_error, name);
    mounted_.fault(node::gpu_max, Kind::read_error, name);
    EXPECT_EQ(try_write(node::gpu_max, "318750000"), number) << name;
    EXPECT_EQ(try_read(node::gpu_max), number) << name;
    ASSERT_TRUE(mounted_.tree().clear_faults());
  }
  EXPECT_EQ(try_read(node::gpu_max), 0);
}

TEST_F(SimulatedMountTest, NodesComeAndGoWithTheState) {
  const std::string limit = node::cluster_max(8);
  EXPECT_TRUE(tree_->exists(limit));
  for (const int cpu : {8, 9, 10, 11})
    ASSERT_TRUE(tree_->write(node::online(cpu), "0"));
  EXPECT_FALSE(tree_->exists(limit));
  EXPECT_EQ(try_open(node::cpu_dir + "/cpu8/cpufreq/scaling_max_freq", O_RDONLY), ENOENT);
  ASSERT_TRUE(tree_->write(node::online(9), "1"));
  EXPECT_EQ(try_read(limit), 0);

  mounted_.fault("/sys/class/devfreq/*", Kind::absent);
  EXPECT_EQ(tree_->list("/sys/class").value(), std::vector<std::string>{"thermal"});
  EXPECT_FALSE(tree_->exists("/sys/class/devfreq/17000000.ga10b/max_freq"));
  ASSERT_TRUE(mounted_.tree().clear_faults());
  EXPECT_TRUE(tree_->exists("/sys/class/devfreq/17000000.ga10b/max_freq"));
}

TEST_F(SimulatedMountTest, ABlockedReadHoldsUpNobodyElse) {
  mounted_.fault(node::gpu_max, Kind::block);
  auto blocked = std::async(std::launch::async, [this] { return open_mount()->read(node::gpu_max); });
  EXPECT_EQ(blocked.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(tree_->read(node::gpu_min).value(), "114750000\n");
  EXPECT_TRUE(tree_->write(node::gpu_max, "318750000"));
  EXPECT_FALSE(tree_->list(node::gpu_dir)->empty());
  EXPECT_NE(blocked.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_TRUE(mounted_.tree().clear_faults());
  EXPECT_EQ(blocked.get().value(), "318750000\n");
}

TEST_F(SimulatedMountTest, ManyBlockedReadsHoldUpNobodyElse) {
  mounted_.fault(node::gpu_max, Kind::block);
  std::array<std::future<int>, 20> blocked;
  for (auto& read : blocked)
    read = std::async(std::launch::async, [this] { return try_read(node::gpu_max); });
  EXPECT_EQ(blocked.back().wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(try_read(node::gpu_min), 0);
  EXPECT_TRUE(mounted_.tree().clear_faults());
  for (auto& read : blocked)
    EXPECT_EQ(read.get(), 0);
}

TEST_F(SimulatedMountTest, ASignalEndsABlockedRead) {
  struct sigaction waking {};
  waking.sa_handler = [](int) {};  // and no SA_RESTART
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &waking, &before), 0);
  mounted_.fault(node::gpu_max, Kind::block);
  std::promise<int> error;
  auto ended = error.get_future();
  std::thread reader([&] { error.set_value(try_read(node::gpu_max)); });
  // Again, in case it came before the read.
  while (ended.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
    ::pthread_kill(reader.native_handle(), SIGUSR1);
  EXPECT_EQ(ended.get(), EINTR);
  reader.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(SimulatedMountTest, ASignalUnmountsAlsoWhileAReadIsBlocked) {
  mounted_.fault(node::gpu_max, Kind::block);
  auto blocked = std::async(std::launch::async, [this] { return try_read(node::gpu_max); });
  EXPECT_EQ(blocked.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  mounted_.send(SIGTERM);
  EXPECT_EQ(mounted_.wait_for_exit(), 0) << mounted_.errors();
  EXPECT_NE(blocked.get(), 0);
  EXPECT_FALSE(mounted_.is_mounted());
  EXPECT_EQ(mounted_.errors(), "");
}

TEST_F(SimulatedMountTest, LinksAreFollowedWhateverIsRenamedMeanwhile) {
  std::atomic<bool> over{false};
  std::thread renamer([&] {
    while (!over)
      EXPECT_TRUE(mounted_.tree().write(node::gpu_max, "318750000"));  // renames the board's file
  });
  for (int look = 0; look < 100; ++look)
    EXPECT_TRUE(tree_->exists(node::cpu_dir + "/cpu2/cpufreq/scaling_max_freq"));
  over = true;
  renamer.join();
}

TEST_F(SimulatedMountTest, EndsWhenSomebodyUnmounts) {
  tree_.reset();
  ASSERT_TRUE(mounted_.unmount());
  EXPECT_EQ(mounted_.wait_for_exit(), 0) << mounted_.errors();
  EXPECT_EQ(mounted_.errors(), "");
}

TEST_F(SimulatedMountTest, IsABoardToFulcrum) {
  const SystemClock clock;
  const auto discover = [&](std::unique_ptr<FileTree> tree) {
    auto found = Board::discover(std::move(tree), *builtin_board_description("agx-orin"), clock);
    EXPECT_TRUE(found) << found.error().to_string();
    return std::move(*found);
  };
  const auto direct = discover(mounted_.open_tree());
  const auto board = discover(std::move(tree_));
  EXPECT_EQ(board->levels().gpu_hz, direct->levels().gpu_hz);
  EXPECT_EQ(board->boot_id().value(), direct->boot_id().value());
  EXPECT_EQ(board->read_temperature_c().value(), direct->read_temperature_c().value());
  EXPECT_EQ(board->read_throttle_events().value(), direct->read_throttle_events().value());
  EXPECT_DOUBLE_EQ(board->read_power()->total_w, direct->read_power()->total_w);

  const auto untouched = mounted_.tree().state();
  auto lease = BoardLease::acquire(*board, mounted_.state_dir(), make_null_logger());
  ASSERT_TRUE(lease) << lease.error().to_string();
  const PowerMode low{3, 960000, 318750000, 2133000000};
  const auto applied = (*lease)->apply(low);
  ASSERT_TRUE(applied) << applied.error().to_string();
  EXPECT_EQ(board->read_mode().value(), low);
  EXPECT_EQ(direct->read_mode().value(), low);
  EXPECT_TRUE(board->read_power());
  EXPECT_TRUE((*lease)->release().complete());
  EXPECT_EQ(direct->read_mode().value(), board->highest_mode());
  EXPECT_EQ(mounted_.tree().state()->cpu_online, untouched->cpu_online);
}

}  // namespace
}  // namespace fulcrum
