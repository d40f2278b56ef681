#pragma once
// How much training fits beside inference: between the batches, and where these may start as late as their
// budget allows (searches.md section 1, policy `slack`).

namespace fulcrum::scheduler {

inline constexpr int kMostMinibatches = 1'000'000;

// Whole ones; at most kMostMinibatches.
int minibatches_in(double free_ms, double step_ms);

struct SlackCycle {
  double window_ms = 0;     // w: a full batch arrives every so often
  double inference_ms = 0;  // t_in, of a batch
  double training_ms = 0;   // t_tr, of a training minibatch
  double slack_ms = 0;      // s: so long after it is full a batch may start at the latest
};

// s = L - 1000 (b - 1) / a - t_in: by then the oldest request of the batch has waited for b - 1 others.
double slack_ms(double latency_budget_ms, double arrival_rate_hz, int batch_size, double inference_ms);

// Training minibatches in a window, in the long run, for periodic arrivals: as many run as end before the
// batch must start, and it starts once they have, or when it is full. 0 if the inference does not keep up
// (t_in > w) or may not even start when it is full (s < 0). Never less than floor((w - t_in) / t_tr), the
// most that ends before the batch is full.
double slack_minibatches_per_window(const SlackCycle& cycle);

}  // namespace fulcrum::scheduler
