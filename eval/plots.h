#pragma once
// Pictures of results, as SVG.

#include <string>
#include <vector>

#include "eval/result.h"
#include "eval/table.h"
#include "eval/visits.h"

namespace fulcrum::eval {

// In every picture the strategies have the colours and marks of their places in `strategies`.

// Results of one scenario and policy: what each strategy loses for how many probes, and how its losses
// spread.
std::string plot_losses(const std::vector<Result>& results, const std::vector<std::string>& strategies);

// Times and powers of every mode in a table at one batch size, those that no other beats in both, and the
// modes that strategies answered in `results`, and measured by `visits`.
std::string plot_front(const Table& table, int batch_size, const std::vector<Result>& results,
                       const std::vector<Visit>& visits, const std::vector<std::string>& strategies,
                       const std::string& title);

// The rows that no other row beats in time and power, ascending by time.
std::vector<scheduler::Profile> pareto_front(std::vector<scheduler::Profile> rows);

// Of results, in the order of their first ones.
std::vector<std::string> strategies_in(const std::vector<Result>& results);

}  // namespace fulcrum::eval
