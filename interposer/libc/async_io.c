/* Input and output that goes on after the call: POSIX aio, Linux aio, streams with the program's
 * buffer.
 *
 * The kernel may touch such a buffer at any later time, on a thread whose faults become EFAULT. So
 * host memory that CUDA knows is not protected any more once a program reads into it so, and
 * nothing at all is protected where buffers are not known (io_uring; liburing makes its system
 * calls itself, so that it is loaded is enough, code_range.c). The access is recorded where it is
 * asked for.
 */
#include "interposer/libc/async_io.h"

#include <aio.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
#include "interposer/guard/host.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/guard/guard.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"

#define EXPORT __attribute__((visibility("default")))

static void hand_over(uint64_t start, uint64_t bytes, bool is_write)
{
	if (!sc_session_is_live() || sc_self.busy)
		return;
	sc_host_access(start, bytes, is_write);
	if (sc_memory_touches(&sc_memory, start, bytes))
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
	    sc_memory_touches(&sc_memory, (uint64_t)buffer, bytes))
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

static void effects_of_request(struct sc_side_effects *e, const struct iocb *c)
{
	bool is_write = c->aio_lio_opcode == IOCB_CMD_PREAD || c->aio_lio_opcode == IOCB_CMD_PREADV;
	struct iovec v;

	if (c->aio_lio_opcode == IOCB_CMD_PREAD || c->aio_lio_opcode == IOCB_CMD_PWRITE)
		hand_over(c->aio_buf, c->aio_nbytes, is_write);
	if (c->aio_lio_opcode != IOCB_CMD_PREADV && c->aio_lio_opcode != IOCB_CMD_PWRITEV)
		return;
	for (uint64_t i = 0; i < c->aio_nbytes && i < IOV_MAX; i++) {
		if (!sc_side_effect_read(e, c->aio_buf + i * sizeof(v), &v, sizeof(v)))
			return;
		hand_over((uint64_t)v.iov_base, v.iov_len, is_write);
	}
}

void sc_async_io_effects(struct sc_side_effects *e, uint64_t list, uint64_t count)
{
	struct iocb c;
	uint64_t at;

	for (uint64_t i = 0; i < count; i++) {
		if (!sc_side_effect_read(e, list + i * sizeof(at), &at, sizeof(at)) ||
		    !sc_side_effect_read(e, at, &c, sizeof(c)))
			return;
		effects_of_request(e, &c);
	}
}
