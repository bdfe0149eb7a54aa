// A constructor and a function of the library throw, and the program goes on: its calls are
// recorded as before.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

#include <stdexcept>

static bool throws(void (*function)(void))
{
	try {
		function();
	} catch (const std::invalid_argument &) {
		return true;
	}
	return false;
}

static void name_nobody(void)
{
	nixlAgent nobody("", {});
}

static void send_nothing(void)
{
	nixlAgent here("here", {});
	nixlDescList<nixlBasicDesc> nothing(VRAM_SEG);
	nixlXferReqH *request;

	here.createXferReq(NIXL_WRITE, nothing, nothing, "elsewhere", request);
}

int main(void)
{
	float *data = zeros(BYTES);
	cudaStream_t s = stream(), t = stream();

	if (!throws(name_nobody) || !throws(send_nothing))
		return 1;
	PUT(s, data, COUNT, 1.0f);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	PUT(t, data, COUNT, 2.0f); // @second
#ifndef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	finish(t, data, 2);
	return 0;
}
