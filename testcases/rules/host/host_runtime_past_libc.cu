// A program that Go's linker has marked makes its system calls past the C library: its buffers must
// not be refused, so the guard switches itself off, unless it is forced on.
//
// expect: clean
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "testcases/common.h"

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
	".balign 4\n"
	".long 4, 4, 4\n"
	".asciz \"Go\\0\"\n"
	".ascii \"none\"\n"
	".popsection");

static const size_t page = 4096, half = 2048;

static long write_past_libc(int fd, const char *data, size_t bytes)
{
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(SYS_write), "D"(fd), "S"(data), "d"(bytes)
		     : "rcx", "r11", "memory");
	return result;
}

int main()
{
	char *h_data = (char *)pinned(page), *d_data = (char *)on_device(page);
	cudaStream_t stream;
	int ends[2];

	if (pipe(ends))
		return EXIT_WRONG;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(h_data + half, d_data, half, cudaMemcpyDeviceToHost, stream));
	if (write_past_libc(ends[1], h_data, 4) != 4)
		return EXIT_WRONG;
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
