/* /proc/self/mem, with process_vm_readv and process_vm_writev where it cannot be opened. */
#include "simulator/driver/memory/hostmem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int mem_fd = -1;
static pthread_once_t mem_once = PTHREAD_ONCE_INIT;

static void open_mem(void)
{
	mem_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
}

/* One transfer of at most `size` bytes; what pread and pwrite return. */
static ssize_t transfer(char *local, uintptr_t remote, size_t size, bool is_write)
{
	struct iovec mine = {local, size}, theirs = {(void *)remote, size};

	pthread_once(&mem_once, open_mem);
	if (mem_fd >= 0 && is_write)
		return pwrite(mem_fd, local, size, (off_t)remote);
	if (mem_fd >= 0)
		return pread(mem_fd, local, size, (off_t)remote);
	if (is_write)
		return process_vm_writev(getpid(), &mine, 1, &theirs, 1, 0);
	return process_vm_readv(getpid(), &mine, 1, &theirs, 1, 0);
}

static bool transfer_all(char *local, uintptr_t remote, size_t size, bool is_write)
{
	ssize_t done;

	while (size) {
		done = transfer(local, remote, size, is_write);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		local += done;
		remote += (size_t)done;
		size -= (size_t)done;
	}
	return true;
}

bool sim_hostmem_read(void *to, uintptr_t from, size_t size_bytes)
{
	return transfer_all(to, from, size_bytes, false);
}

bool sim_hostmem_write(uintptr_t to, const void *from, size_t size_bytes)
{
	return transfer_all((char *)from, to, size_bytes, true);
}
