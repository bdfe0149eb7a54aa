// A CUDA program that lives and ends as its argument says; the scenario tests run it.
#ifndef SC_TESTS_ACTOR_H
#define SC_TESTS_ACTOR_H

#include <unistd.h>
#include "testcases/common.h"

enum { N = 1 << 14 };
static const size_t bytes = N * sizeof(float);

struct buffers {
	float *h_data, *h_back, *d_data;
	cudaStream_t stream;
};

// Copies there and back, and the end of that.
void prepare(struct buffers *b);
void enqueue(struct buffers *b);
void finish(struct buffers *b);

// One proven error, and nothing else; the work is complete at its end.
float racy(void);

void clean(void);

#define WAY(name, run) int run(void);
#include "tests/e2e/scenarios/actor/ways.def"
#undef WAY

#endif
