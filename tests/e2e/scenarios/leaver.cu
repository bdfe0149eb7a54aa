// Ends as a Go program does: by a system call of its own, past the C library; and says that it is
// one.
#include <sys/syscall.h>
#include "testcases/common.h"

asm(".pushsection .note.go.buildid, \"a\", @note\n"
    ".balign 4\n.long 4, 4, 4\n.asciz \"Go\\0\"\n.ascii \"test\"\n"
    ".popsection\n");

static const size_t bytes = 1 << 16;

static void leave(long status)
{
	asm volatile("syscall" : : "a"((long)SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
}

// Without an argument it is right, with "pending" it ends with pending work, with any other one it
// is wrong.
int main(int argc, char **argv)
{
	bool is_pending = argc > 1 && !strcmp(argv[1], "pending");
	float *h_data = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	if (is_pending)
		leave(0);
	if (argc > 1)
		printf("%g\n", h_data[0]);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	fflush(stdout);
	leave(0);
	return 1;
}
