// An order of host threads that no tool can see: one sets an atomic, the other one looks at it.
#ifndef SC_TESTCASES_UNSEEN_H
#define SC_TESTCASES_UNSEEN_H

#include <sched.h>
#include <atomic>

struct unseen {
	std::atomic<bool> is_set{false};

	void set()
	{
		is_set.store(true, std::memory_order_release);
	}
	void await()
	{
		while (!is_set.load(std::memory_order_acquire))
			sched_yield();
	}
};

#endif
