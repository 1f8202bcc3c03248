// fifo schedules jobs with SimGrid (https://simgrid.org) as policy.FIFO does with package replay: on equal machines whose cores
// run one task each, jobs in the order of their arrival, stages of a job by the number of stages before them.
//
// It reads from standard input: machines, cores of each, jobs; of each job its arrival and number of stages; of each stage the
// number of its parents, these, the number of its tasks, and how long each takes. Times are microseconds. It writes the end of
// each job in microseconds, a line each, and then the seconds that the simulation took, reading and writing left out.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

struct Stage {
  std::vector<int> parents, children;
  std::vector<long long> durations;
  int waits = 0, depth = 0, next = 0, running = 0;
};

struct Job {
  long long arrival = 0, end = 0;
  int left = 0; // stages
  std::vector<Stage> stages;
  std::set<std::pair<int, int>> ready; // depth and number of stages that have tasks to start
};

struct Task {
  sg::ExecPtr exec; // which would otherwise be gone
  int job, stage, machine;
};

static std::vector<Job> jobs;
static std::vector<sg::Host*> hosts;
static std::set<int> waiting; // jobs with ready stages
static std::set<int> room;    // machines with a free core
static std::vector<int> idle; // cores of each
static std::map<const sg::Activity*, Task> running;
static sg::Host* clock_host; // computes for as long as it is to the next arrival
static sg::ExecPtr tick;
static size_t arrived;

static long long number() {
  long long n;
  if (std::scanf("%lld", &n) != 1) std::exit(2);
  return n;
}

static void open(int j, int s) {
  jobs[j].ready.insert({jobs[j].stages[s].depth, s});
  waiting.insert(j);
}

static void dispatch() {
  while (!waiting.empty() && !room.empty()) {
    int j = *waiting.begin();
    int s = jobs[j].ready.begin()->second;
    Stage& stage = jobs[j].stages[s];
    int m = *room.begin();
    if (--idle[m] == 0) room.erase(m);
    auto task = sg::Exec::init()->set_flops_amount(static_cast<double>(stage.durations[stage.next]))->set_host(hosts[m]);
    running[task.get()] = {task, j, s, m};
    stage.running++;
    if (++stage.next == static_cast<int>(stage.durations.size())) {
      jobs[j].ready.erase(jobs[j].ready.begin());
      if (jobs[j].ready.empty()) waiting.erase(j);
    }
    task->start();
  }
}

// await has the clock compute until the next job arrives.
static void await() {
  if (arrived == jobs.size()) return;
  double gap = static_cast<double>(jobs[arrived].arrival) - sg::Engine::get_clock() * 1e6;
  tick = sg::Exec::init()->set_flops_amount(std::max(gap, 1e-3))->set_host(clock_host);
  tick->start();
}

static void arrive() {
  int j = static_cast<int>(arrived++);
  for (size_t s = 0; s < jobs[j].stages.size(); s++)
    if (jobs[j].stages[s].waits == 0) open(j, static_cast<int>(s));
  await();
}

static void end(const sg::Activity& activity) {
  auto found = running.find(&activity);
  if (found == running.end()) { // the clock
    arrive();
    dispatch();
    return;
  }
  Task t = found->second;
  running.erase(found);
  if (idle[t.machine]++ == 0) room.insert(t.machine);
  Job& job = jobs[t.job];
  Stage& stage = job.stages[t.stage];
  if (--stage.running == 0 && stage.next == static_cast<int>(stage.durations.size())) {
    for (int c : stage.children)
      if (--job.stages[c].waits == 0) open(t.job, c);
    if (--job.left == 0) job.end = std::llround(sg::Engine::get_clock() * 1e6);
  }
  dispatch();
}

int main(int argc, char** argv) {
  sg::Engine e(&argc, argv);
  int machines = number(), cores = number();
  jobs.resize(number());
  for (Job& job : jobs) {
    job.arrival = number();
    job.stages.resize(job.left = number());
    for (int s = 0; s < job.left; s++) {
      Stage& stage = job.stages[s];
      stage.parents.resize(stage.waits = number());
      for (int& p : stage.parents) {
        p = number();
        job.stages[p].children.push_back(s);
        stage.depth = std::max(stage.depth, job.stages[p].depth + 1);
      }
      stage.durations.resize(number());
      for (long long& d : stage.durations) d = number();
    }
  }
  auto begin = std::chrono::steady_clock::now();
  auto* zone = sg::create_full_zone("cluster");
  for (int m = 0; m < machines; m++) {
    hosts.push_back(zone->create_host("m" + std::to_string(m), 1e6)->set_core_count(cores)->seal());
    idle.push_back(cores);
    room.insert(m);
  }
  clock_host = zone->create_host("clock", 1e6)->seal();
  zone->seal();
  sg::Activity::on_completion_cb(end);
  await();
  e.run();
  double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const Job& job : jobs) std::printf("%lld\n", job.end);
  std::printf("%.6f\n", took);
}
