// The queue of jobs in every order of its atomic steps (interleavings.h): each job is done once, and nobody sleeps while one waits.
#include <gtest/gtest.h>

#define METEOR_MODEL 1
#define meteor meteor_model   // beside the runtime that the other tests use

#include "runtime/threads/interleavings.h"

#include "runtime/threads/job_queue.h"

namespace {

using namespace meteor::isolates;
using meteor::model::Machine;

Machine& machine() { return Machine::get(); }

struct Counted : Job {
  int done = 0;
};

JobQueue queue;
std::vector<Counted> jobs;

void work_off() {
  Luck luck{};
  while (Job* job = next_job(queue, luck, 1)) ++static_cast<Counted*>(job)->done;
  unlock(queue.lock);
}

void explore(int workers, int count, int most_switches) {
  machine().explore(
      [&] {
        queue = {};
        jobs.assign(size_t(count), Counted{});
        for (int i = 0; i < workers; i++) machine().start(work_off);
        machine().start([] {
          for (Counted& job : jobs) add_job(queue, job);
          machine().wait_until([] { return std::all_of(jobs.begin(), jobs.end(), [](const Counted& job) { return job.done > 0; }); });
          close_queue(queue);
        });
      },
      [&] {
        for (const Counted& job : jobs)
          if (job.done != 1) machine().fail("a job was done twice");
        if (queue.queued != 0 || queue.idle != 0 || queue.parked != 0 || queue.called != 0) machine().fail("somebody is still counted");
      },
      most_switches);
  EXPECT_EQ(machine().failure(), "") << workers << " workers, " << count << " jobs";
  EXPECT_GT(machine().runs(), 1u);
}

TEST(Interleavings, EachJobIsDoneOnceByWhoeverIsFree) {
  explore(1, 1, 4);
  explore(1, 2, 3);
  explore(2, 1, 2);
  explore(2, 2, 2);
}

// A job for which no thread could be started goes back, unless somebody has taken it.
TEST(Interleavings, AJobIsTakenBackOrDone) {
  static bool is_back;
  machine().explore(
      [] {
        queue = {};
        jobs.assign(2, Counted{});
        is_back = false;
        machine().start(work_off);
        machine().start([] {
          add_job(queue, jobs[0]);
          add_job(queue, jobs[1]);
          is_back = remove_job(queue, jobs[1]);
          machine().wait_until([] { return jobs[0].done > 0 && jobs[1].done + is_back > 0; });
          close_queue(queue);
        });
      },
      [] {
        if (jobs[0].done != 1 || jobs[1].done + is_back != 1) machine().fail("a job was lost or done twice");
      },
      3);
  EXPECT_EQ(machine().failure(), "");
}

}  // namespace
