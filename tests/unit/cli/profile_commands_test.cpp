// fulcrumctl profile.

#include "cli/profile_document.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/scripted_program.h"

namespace fulcrum::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using ProfileCommand = ScriptedProgramTest;
using ProfileImport = ScriptedProgramTest;
using ProfileExport = ScriptedProgramTest;

constexpr const char* kWorkload = "0123456789abcdef";

Json document_of(int first, int last) {
  Json document{{"format", "fulcrum-profiles"}, {"version", 1}, {"measurements", Json::array()}};
  for (int i = first; i < last; ++i)
    document["measurements"].push_back({{"number", i}});
  return document;
}

TEST_F(ProfileCommand, ListAsksForAll) {
  answers(Json::parse(R"({"profiles": []})"));
  EXPECT_EQ(run({"profile", "list"}), 0);
  EXPECT_EQ(method(), "profile.list");
  EXPECT_EQ(params(), Json::object());
  EXPECT_EQ(out_, "no profiles\n");
}

TEST_F(ProfileCommand, ListOfOneWorkloadAsksForThat) {
  answers(Json::parse(R"({"profiles": []})"));
  EXPECT_EQ(run({"profile", "list", "--workload", kWorkload}), 0);
  EXPECT_EQ(params(), (Json{{"workload", kWorkload}}));
}

TEST_F(ProfileCommand, WhatIsNoFingerprintIsWrongUsage) {
  for (const char* text : {"", "0123", "0123456789ABCDEF", "0123456789abcdef0"}) {
    EXPECT_EQ(run({"profile", "list", "--workload", text}), 2) << text;
    EXPECT_EQ(requests(), 0u) << text;
  }
  EXPECT_THAT(err_, HasSubstr("16 hexadecimal digits"));
}

TEST_F(ProfileCommand, ForgetOfOneWorkload) {
  answers({{"forgotten", 3}});
  EXPECT_EQ(run({"profile", "forget", "--workload", kWorkload}), 0);
  EXPECT_EQ(method(), "profile.forget");
  EXPECT_EQ(params(), (Json{{"workload", kWorkload}}));
  EXPECT_EQ(out_, "3 measurements forgotten\n");
}

TEST_F(ProfileCommand, ForgetOfAll) {
  answers({{"forgotten", 1}});
  EXPECT_EQ(run({"profile", "forget", "--all"}), 0);
  EXPECT_EQ(params(), (Json{{"all", true}}));
  EXPECT_EQ(out_, "1 measurement forgotten\n");
}

TEST_F(ProfileCommand, ForgetMustBeToldExactlyWhat) {
  EXPECT_EQ(run({"profile", "forget"}), 2);
  EXPECT_EQ(run({"profile", "forget", "--all", "--workload", kWorkload}), 2);
  EXPECT_EQ(requests(), 0u);
}

TEST_F(ProfileCommand, WithoutAWordIsWrongUsage) {
  EXPECT_EQ(run({"profile"}), 2);
}

TEST_F(ProfileExport, JoinsTheParts) {
  answers({{"document", document_of(0, 2)}, {"next", 2}});
  answers({{"document", document_of(2, 3)}, {"next", nullptr}});
  EXPECT_EQ(run({"profile", "export"}), 0);
  EXPECT_EQ(Json::parse(out_), document_of(0, 3));
  EXPECT_EQ(params(0), (Json{{"offset", 0}, {"limit", 500}}));
  EXPECT_EQ(params(1), (Json{{"offset", 2}, {"limit", 500}}));
}

TEST_F(ProfileExport, OfOneWorkloadAsksForThat) {
  answers({{"document", document_of(0, 0)}, {"next", nullptr}});
  EXPECT_EQ(run({"profile", "export", "--workload", kWorkload}), 0);
  EXPECT_EQ(params().at("workload"), kWorkload);
}

TEST_F(ProfileExport, ToAFileSaysHowMany) {
  const test::TempDir dir;
  test::spill(dir / "p.json", "old");
  answers({{"document", document_of(0, 2)}, {"next", nullptr}});
  EXPECT_EQ(run({"profile", "export", "-o", dir / "p.json"}), 0) << err_;
  EXPECT_EQ(Json::parse(test::slurp(dir / "p.json")), document_of(0, 2));
  EXPECT_THAT(out_, HasSubstr("2 measurements written to '"));
}

TEST_F(ProfileExport, AFileThatCannotBeWrittenIsOne) {
  answers({{"document", document_of(0, 2)}, {"next", nullptr}});
  EXPECT_EQ(run({"profile", "export", "-o", "/nonexistent/p.json"}), 1);
  EXPECT_THAT(err_, HasSubstr("/nonexistent/p.json"));
}

TEST_F(ProfileExport, ARefusalLeavesTheFileAsItIs) {
  const test::TempDir dir;
  test::spill(dir / "p.json", "old");
  answers({{"document", document_of(0, 2)}, {"next", 2}});
  refuses({{{"message", "not now"}}});
  EXPECT_EQ(run({"profile", "export", "-o", dir / "p.json"}), 1);
  EXPECT_EQ(test::slurp(dir / "p.json"), "old");
}

class ProfileExportNonsense : public ScriptedProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(ProfileExportNonsense, IsThreeAndNothingIsWritten) {
  answers(Json::parse(GetParam()));
  EXPECT_EQ(run({"profile", "export"}), 3);
  EXPECT_EQ(out_, "");
  EXPECT_THAT(err_, HasSubstr("makes no sense"));
}

INSTANTIATE_TEST_SUITE_P(Answers, ProfileExportNonsense,
                         testing::Values("null", "[]", "{}", R"({"document": 3, "next": null})",
                                         R"({"document": {}, "next": null})",
                                         R"({"document": {"measurements": 3}, "next": null})",
                                         R"({"document": {"measurements": []}})",
                                         R"({"document": {"measurements": []}, "next": 0})",
                                         R"({"document": {"measurements": []}, "next": 1e300})",
                                         R"({"document": {"measurements": []}, "next": "x"})"));

TEST_F(ProfileImport, SendsTheDocument) {
  answers({{"added", 2}, {"known", 1}});
  EXPECT_EQ(run({"profile", "import", "-"}, document_text(document_of(0, 3))), 0) << err_;
  EXPECT_EQ(method(), "profile.import");
  EXPECT_EQ(params(), (Json{{"document", document_of(0, 3)}}));
  EXPECT_EQ(out_, "2 measurements added, 1 known before\n");
}

TEST_F(ProfileImport, ReadsAFile) {
  const test::TempDir dir;
  test::spill(dir / "p.json", document_text(document_of(0, 3)));
  answers({{"added", 3}, {"known", 0}});
  EXPECT_EQ(run({"profile", "import", dir / "p.json"}), 0) << err_;
}

TEST_F(ProfileImport, EqualBoardIsSentIfItIsSaid) {
  answers({{"added", 1}, {"known", 0}});
  EXPECT_EQ(run({"profile", "import", "-", "--equal-board"}, document_text(document_of(0, 1))), 0);
  EXPECT_EQ(params().at("equal_board"), true);
}

TEST_F(ProfileImport, ManyMeasurementsGoInPartsAndCountsAddUp) {
  answers({{"added", 500}, {"known", 0}});
  answers({{"added", 400}, {"known", 100}});
  answers({{"added", 1}, {"known", 0}});
  EXPECT_EQ(run({"profile", "import", "-", "--json"}, document_text(document_of(0, 1001))), 0) << err_;
  EXPECT_EQ(Json::parse(out_), (Json{{"added", 901}, {"known", 100}}));
  ASSERT_EQ(requests(), 3u);
  EXPECT_EQ(params(0).at("document"), document_of(0, 500));
  EXPECT_EQ(params(2).at("document"), document_of(1000, 1001));
}

TEST_F(ProfileImport, ADocumentWithoutMeasurementsIsSentOnce) {
  answers({{"added", 0}, {"known", 0}});
  EXPECT_EQ(run({"profile", "import", "-"}, document_text(document_of(0, 0))), 0);
  EXPECT_EQ(requests(), 1u);
}

TEST_F(ProfileImport, FaultsAreToldAsTheyAreWrittenInTheFile) {
  refuses({{{"field", "/params/document/measurements/3/power_w"}, {"message", "must be above 0"}},
           {{"field", "/params/document/version"}, {"message", "is 2"}}});
  EXPECT_EQ(run({"profile", "import", "-"}, document_text(document_of(0, 5))), 1);
  EXPECT_EQ(err_,
            "fulcrumctl: standard input: measurements.3.power_w: must be above 0\n"
            "fulcrumctl: standard input: version: is 2\n");
}

TEST_F(ProfileImport, FaultsOfALaterPartAreCountedFromTheStart) {
  answers({{"added", 500}, {"known", 0}});
  refuses({{{"field", "/params/document/measurements/3/power_w"}, {"message", "must be above 0"}}});
  EXPECT_EQ(run({"profile", "import", "-"}, document_text(document_of(0, 505))), 1);
  EXPECT_THAT(err_, AllOf(HasSubstr("measurements.503.power_w: must be above 0"),
                          HasSubstr("the first 500 measurements of standard input are imported")));
}

TEST_F(ProfileImport, OddFieldsOfFaultsAreTold) {
  answers({{"added", 500}, {"known", 0}});
  refuses({{{"field", "/params/document/measurements/"}, {"message", "a"}},
           {{"field", "/params/document/measurements/99999999999999999999"}, {"message", "b"}},
           {{"field", "/params/document"}, {"message", "c"}},
           {{"field", "/params/documents"}, {"message", "d"}}});
  EXPECT_EQ(run({"profile", "import", "-"}, document_text(document_of(0, 505))), 1);
  EXPECT_THAT(err_, AllOf(HasSubstr(": a\n"), HasSubstr("99999999999999999999: b\n"),
                          HasSubstr("standard input: c\n"), HasSubstr("/params/documents: d\n")));
}

TEST_F(ProfileImport, AFileThatIsNoDocumentIsOneAndIsNotSent) {
  EXPECT_EQ(run({"profile", "import", "-"}, "[]"), 1);
  EXPECT_THAT(err_, HasSubstr("standard input: is no document of profiles"));
  EXPECT_EQ(run({"profile", "import", "/nonexistent/p.json"}), 1);
  EXPECT_THAT(err_, HasSubstr("/nonexistent/p.json"));
  EXPECT_EQ(requests(), 0u);
}

TEST_F(ProfileImport, CountsThatAreOddAreNothing) {
  answers({{"added", "many"}, {"known", 1e300}});
  EXPECT_EQ(run({"profile", "import", "-"}, document_text(document_of(0, 1))), 0);
  EXPECT_EQ(out_, "0 measurements added, 0 known before\n");
}

}  // namespace
}  // namespace fulcrum::cli
