/* Input and output that goes on after the call: POSIX aio, Linux aio, io_uring; and syscall().
 *
 * The kernel may touch such a buffer at any later time, on a thread whose faults become EFAULT. So
 * host memory that CUDA knows is not protected any more once a program reads into it so, and
 * nothing at all where buffers are not told (io_uring; liburing makes its system calls itself, so
 * that it is loaded is enough, range.c). The access is recorded where it is asked for.
 */
#include <aio.h>
#include <errno.h>
#include <linux/aio_abi.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
#include "interposer/host.h"
#include "interposer/raw.h"
#include "interposer/session.h"

#define EXPORT __attribute__((visibility("default")))

static void hand_over(uint64_t start, uint64_t bytes, bool is_write)
{
	if (!sc_session_is_live() || sc_self.busy)
		return;
	sc_host_look(start, bytes, is_write);
	if (sc_memory_touches(&sc_session.memory, start, bytes))
		sc_guard_stand_down("page guard: the program reads or writes CUDA's memory by aio");
}

/* ---- POSIX ---- */

#define AIO(name, type, is_write)                                         \
	EXPORT int name(type *c)                                          \
	{                                                                 \
		hand_over((uint64_t)c->aio_buf, c->aio_nbytes, is_write); \
		return SC_REAL(name)(c);                                  \
	}
AIO(aio_read, struct aiocb, true)
AIO(aio_write, struct aiocb, false)
AIO(aio_read64, struct aiocb64, true)
AIO(aio_write64, struct aiocb64, false)

#define LISTIO(name, type)                                                                 \
	EXPORT int name(int mode, type *const list[], int count, struct sigevent *event)   \
	{                                                                                  \
		for (int i = 0; i < count; i++) {                                          \
			if (list[i] && list[i]->aio_lio_opcode != LIO_NOP)                 \
				hand_over((uint64_t)list[i]->aio_buf, list[i]->aio_nbytes, \
					  list[i]->aio_lio_opcode == LIO_READ);            \
		}                                                                          \
		return SC_REAL(name)(mode, list, count, event);                            \
	}
LISTIO(lio_listio, struct aiocb)
LISTIO(lio_listio64, struct aiocb64)

/* ---- standard streams ---- */

/* A stream's buffer is handed to the kernel at any later call on the stream, and at exit. */
static void lend_buffer(const char *buffer, size_t bytes)
{
	if (buffer && sc_session_is_live() && !sc_self.busy &&
	    sc_memory_touches(&sc_session.memory, (uint64_t)buffer, bytes))
		sc_guard_stand_down("page guard: a stream of stdio buffers in CUDA's memory");
}

EXPORT int setvbuf(FILE *stream, char *buffer, int mode, size_t bytes)
{
	lend_buffer(buffer, bytes);
	return SC_REAL(setvbuf)(stream, buffer, mode, bytes);
}

EXPORT void setbuffer(FILE *stream, char *buffer, size_t bytes)
{
	lend_buffer(buffer, bytes);
	SC_REAL(setbuffer)(stream, buffer, bytes);
}

EXPORT void setbuf(FILE *stream, char *buffer)
{
	lend_buffer(buffer, BUFSIZ);
	SC_REAL(setbuf)(stream, buffer);
}

/* ---- Linux ---- */

static void look_request(const struct iocb *c)
{
	bool is_write = c->aio_lio_opcode == IOCB_CMD_PREAD || c->aio_lio_opcode == IOCB_CMD_PREADV;
	const struct iovec *v = (const void *)c->aio_buf;

	if (c->aio_lio_opcode == IOCB_CMD_PREAD || c->aio_lio_opcode == IOCB_CMD_PWRITE)
		hand_over(c->aio_buf, c->aio_nbytes, is_write);
	if (c->aio_lio_opcode != IOCB_CMD_PREADV && c->aio_lio_opcode != IOCB_CMD_PWRITEV)
		return;
	for (uint64_t i = 0; i < c->aio_nbytes; i++)
		hand_over((uint64_t)v[i].iov_base, v[i].iov_len, is_write);
}

static void look_requests(long count, struct iocb *const *list)
{
	for (long i = 0; i < count; i++)
		look_request(list[i]);
}

static long through(long result)
{
	if (result >= -4095 && result < 0) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

int io_submit(unsigned long context, long count, struct iocb **list); /* libaio's */

/* Returns -errno. */
EXPORT int io_submit(unsigned long context, long count, struct iocb **list)
{
	look_requests(count, list);
	return (int)sc_raw(SYS_io_submit, context, (uint64_t)count, (uint64_t)list, 0, 0, 0);
}

/* ---- syscall() ---- */

static void look_call(long number, const uint64_t *a)
{
	switch (number) {
	case SYS_read:
	case SYS_pread64:
	case SYS_recvfrom: sc_host_look(a[1], a[2], true); break;
	case SYS_write:
	case SYS_pwrite64:
	case SYS_sendto: sc_host_look(a[1], a[2], false); break;
	case SYS_getrandom: sc_host_look(a[0], a[1], true); break;
	case SYS_getdents64:
	case SYS_mq_timedreceive: sc_host_look(a[1], a[2], true); break;
	case SYS_mq_timedsend: sc_host_look(a[1], a[2], false); break;
	case SYS_msgrcv: sc_host_look(a[1], sizeof(long) + a[2], true); break;
	case SYS_msgsnd: sc_host_look(a[1], sizeof(long) + a[2], false); break;
	case SYS_sendmsg: sc_host_look_message((const void *)a[1], false); break;
	case SYS_recvmsg: sc_host_look_message((const void *)a[1], true); break;
	case SYS_vmsplice: sc_host_look_vector((const void *)a[1], a[2], false); break;
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2: sc_host_look_vector((const void *)a[1], a[2], true); break;
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2: sc_host_look_vector((const void *)a[1], a[2], false); break;
	case SYS_futex: sc_host_open(a[0], 4); break;
	case SYS_mlock:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_munmap:
	case SYS_madvise: sc_host_open(a[0], a[1]); break;
	case SYS_io_submit: look_requests((long)a[1], (struct iocb *const *)a[2]); break;
	case SYS_exit_group: _exit((int)a[0]);
	case SYS_io_uring_setup:
		sc_guard_stand_down("page guard: the program uses io_uring");
		break;
	}
}

EXPORT long syscall(long number, ...)
{
	uint64_t a[6];
	va_list rest;

	va_start(rest, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(rest, uint64_t);
	va_end(rest);
	if (!sc_self.busy)
		look_call(number, a);
	return through(sc_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}
