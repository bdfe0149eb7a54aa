// The steps of a random program, included where what they do is declared. This file is the
// program's own code, all else of it a library's: a step's line is the place of whatever the step
// does.
#ifndef SC_TESTS_HOSTS_STEPS_H
#define SC_TESTS_HOSTS_STEPS_H

template <int N> struct step;

// `part` is its host function or thread. The calls are no jumps.
#define STEP(N)                                                       \
	template <> struct step<N> {                                  \
		static __attribute__((noinline)) void part(void *job) \
		{                                                     \
			work((struct job *)job);                      \
			asm volatile("" ::: "memory");                \
		}                                                     \
		static __attribute__((noinline)) void run()           \
		{                                                     \
			called = part;                                \
			act(N);                                       \
			asm volatile("" ::: "memory");                \
		}                                                     \
	};

STEP(0)
STEP(1)
STEP(2)
STEP(3)
STEP(4)
STEP(5)
STEP(6)
STEP(7)
STEP(8)
STEP(9)
STEP(10)
STEP(11)
STEP(12)
STEP(13)
STEP(14)
STEP(15)
STEP(16)
STEP(17)
STEP(18)
STEP(19)
STEP(20)
STEP(21)
STEP(22)
STEP(23)
STEP(24)
STEP(25)
STEP(26)
STEP(27)
STEP(28)
STEP(29)
STEP(30)
STEP(31)
STEP(32)
STEP(33)
STEP(34)
STEP(35)
STEP(36)
STEP(37)
STEP(38)
STEP(39)
STEP(40)
STEP(41)
STEP(42)
STEP(43)
STEP(44)
STEP(45)
STEP(46)
STEP(47)

#endif
