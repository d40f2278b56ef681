#include "scheduler/roofline.h"

namespace fulcrum::scheduler::roofline {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::VectorXd;

// A(b), C(b), G(b) or M(b): a constant, or a constant and a part that grows with the batch.
struct Work {
  double constant = 0;
  double per_sample = 0;

  ArrayXd at(const SearchPoints& points) const { return constant + per_sample * points.batch; }
};

// Parts of a step, each as long as it would be alone.
struct Parts {
  bool with_batch = false;
  Work fixed, cpu, gpu, memory;
  ArrayXd cpu_factor;  // (4 / n)^k / f_c
  double q = 1;
  double k = 0;
  ArrayXd c, g, e, longest;
  ArrayXd log_c, log_g, log_e;  // ln(c / longest) and so on
  ArrayXd cq, gq, eq, sum;      // (c / longest)^q and so on, and their sum
  ArrayXd log_sum;
  ArrayXd roof;   // (c^q + g^q + e^q)^(1/q)
  ArrayXd total;  // t
};

Work work_of(const VectorXd& theta, Index which, bool with_batch) {
  if (!with_batch) return {std::exp(theta[which]), 0};
  return {std::exp(theta[2 * which]), std::exp(theta[2 * which + 1])};
}

Parts parts_of(const VectorXd& theta, const SearchPoints& points) {
  Parts p;
  p.with_batch = theta.size() == kTimeParametersWithBatch;
  p.fixed = work_of(theta, 0, p.with_batch);
  p.cpu = work_of(theta, 1, p.with_batch);
  p.gpu = work_of(theta, 2, p.with_batch);
  p.memory = work_of(theta, 3, p.with_batch);
  p.q = 1 + std::exp(theta[theta.size() - 2]);
  p.k = theta[theta.size() - 1];
  p.cpu_factor = (p.k * (std::log(4.0) - points.logs.col(3))).exp() / points.cpu_ghz;
  p.c = p.cpu.at(points) * p.cpu_factor;
  p.g = p.gpu.at(points) / points.gpu_ghz;
  p.e = p.memory.at(points) / points.emc_ghz;
  p.longest = p.c.max(p.g).max(p.e);
  p.log_c = (p.c / p.longest).log();
  p.log_g = (p.g / p.longest).log();
  p.log_e = (p.e / p.longest).log();
  p.cq = (p.q * p.log_c).exp();
  p.gq = (p.q * p.log_g).exp();
  p.eq = (p.q * p.log_e).exp();
  p.sum = p.cq + p.gq + p.eq;
  p.log_sum = p.sum.log();
  p.roof = p.longest * (p.log_sum / p.q).exp();
  p.total = p.fixed.at(points) + p.roof;
  return p;
}

// d roof / d part * part, the part's share of the roof in ms: (part / roof)^q roof.
ArrayXd pull(const Parts& p, const ArrayXd& part_q) {
  return part_q / p.sum * p.roof;
}

}  // namespace

Values time(const VectorXd& theta, const SearchPoints& points) {
  const Parts p = parts_of(theta, points);
  Values values;
  values.log = p.total.log().matrix();
  values.gradient.resize(points.size(), theta.size());
  Index column = 0;
  // By the logarithm of a constant, and of what a sample adds: the part's pull, shared between the two.
  const auto add = [&](const Work& work, const ArrayXd& pulled) {
    if (!p.with_batch) {
      values.gradient.col(column++) = (pulled / p.total).matrix();
      return;
    }
    const ArrayXd per_work = pulled / (work.at(points) * p.total);
    values.gradient.col(column++) = (work.constant * per_work).matrix();
    values.gradient.col(column++) = (work.per_sample * points.batch * per_work).matrix();
  };
  const ArrayXd cpu_pull = pull(p, p.cq);
  add(p.fixed, p.fixed.at(points));
  add(p.cpu, cpu_pull);
  add(p.gpu, pull(p, p.gq));
  add(p.memory, pull(p, p.eq));
  const ArrayXd by_q =
      (p.cq * p.log_c + p.gq * p.log_g + p.eq * p.log_e) / (p.q * p.sum) - p.log_sum / (p.q * p.q);
  values.gradient.col(column++) = (p.roof * by_q * (p.q - 1) / p.total).matrix();
  values.gradient.col(column) = (cpu_pull * (std::log(4.0) - points.logs.col(3)) / p.total).matrix();
  return values;
}

ArrayXd gpu_share(const VectorXd& theta, const SearchPoints& points, const ArrayXd& log_time) {
  const Work gpu = work_of(theta, 2, theta.size() == kTimeParametersWithBatch);
  return gpu.at(points) / points.gpu_ghz * (-log_time).exp();
}

ArrayXd gpu_share(const VectorXd& theta, const SearchPoints& points) {
  return gpu_share(theta, points, parts_of(theta, points).total.log());
}

Values power(const VectorXd& theta, const SearchPoints& points, const ArrayXd& gpu_share) {
  const VectorXd w = theta.head(5).array().exp();
  const ArrayXd cpu2 = points.cpu_ghz.square();
  Eigen::ArrayXXd part(points.size(), 5);
  part.col(0).setConstant(w[0]);
  part.col(1) = w[1] * points.emc_ghz;
  part.col(2) = w[2] * cpu2;
  part.col(3) = w[3] * points.cores * cpu2;
  part.col(4) = w[4] * gpu_share * (theta[5] * points.logs.col(1)).exp();
  const ArrayXd total = part.rowwise().sum();
  Values values;
  values.log = total.log().matrix();
  values.gradient.resize(points.size(), kPowerParameters);
  for (Index i = 0; i < 5; ++i)
    values.gradient.col(i) = (part.col(i) / total).matrix();
  values.gradient.col(5) = (part.col(4) * points.logs.col(1) / total).matrix();
  return values;
}

}  // namespace fulcrum::scheduler::roofline
