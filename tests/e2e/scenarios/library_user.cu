// Loads a library and calls it: library_user PATH within|with_caller
#include <dlfcn.h>
#include "testcases/common.h"

// What the library fills in one stream is copied out in another one.
static void race_with(void *library)
{
	const size_t bytes = 1 << 12;
	void (*fill_for_caller)(float *, size_t, cudaStream_t);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t mine, its;

	*(void **)&fill_for_caller = dlsym(library, "fill_for_caller");
	CHECK(cudaStreamCreate(&mine));
	CHECK(cudaStreamCreate(&its));
	fill_for_caller(d_data, bytes, its);
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, mine));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(mine));
	CHECK(cudaStreamDestroy(its));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
}

int main(int count, char **arguments)
{
	void *library = count == 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
	void (*race_within)();

	if (!library) {
		fprintf(stderr, "%s\n", count == 3 ? dlerror() : "usage: library_user PATH WAY");
		return 1;
	}
	*(void **)&race_within = dlsym(library, "race_within");
	if (!strcmp(arguments[2], "within"))
		race_within();
	else
		race_with(library);
	return 0;
}
