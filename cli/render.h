#pragma once
// The daemon's answers as people read them. What an answer lacks is left out.

#include <string>

#include "common/json_text.h"

namespace fulcrum::cli {

std::string render_jobs(const Json& answer);         // of job.list
std::string render_job(const Json& job);             // of job.get
std::string render_result(const Json& result);       // of job.result
std::string render_plan(const Json& answer);         // of plan.get
std::string render_explanation(const Json& answer);  // of plan.explain
std::string render_board(const Json& board);         // of board.get
std::string render_modes(const Json& modes);         // of board.modes
std::string render_sensors(const Json& sensors);     // of board.sensors
std::string render_report(const Json& report);       // of board.doctor
std::string render_budget(const Json& budget);       // of budget.get, budget.set and budget.reset
std::string render_profiles(const Json& answer);     // of profile.list
std::string render_methods(const Json& answer);      // of rpc.describe
std::string render_version(const Json& version);     // of system.version

// "epoch 1/2  minibatch 1200/3750  loss 0.412  210/s  accuracy 84.1 %", for either kind of job; "" if there
// is none.
std::string progress_text(const Json& progress);
std::string epoch_text(const Json& epoch);  // of an "epoch" event

// Of the events of a search: "search begun: at most 20 probes, at most 30 s" and "probe 3: training batch 16
// in 8 cores, ...: p99 12.1 ms, 23.4 W".
std::string search_text(const Json& search);
std::string probe_text(const Json& probe);

// "12 cores, CPU 2202 MHz, GPU 1301 MHz, EMC 3199 MHz"
std::string mode_text(const Json& mode);

}  // namespace fulcrum::cli
