/* Room: the file grows ahead of those who write. */
#include "trace/room.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/sys.h"

#define STEP_SLOTS  SC_ROOM_STEP
#define PAGE_SLOTS  ((uint64_t)4096 / SC_SLOT_SIZE)
#define RENEW_SLOTS ((uint64_t)(64 << 20) / SC_SLOT_SIZE)
#define PIECE_BYTES ((uint64_t)64 << 10)
#define LOOK_NS	    100000000 /* how often who waits for a thread looks whether it is there */
#define MARGIN	    32	      /* of the bound: for the file of what is kept, and parts of pages */
#define EIGHTH	    8 /* of the share: from six on the reader is behind, at five it is not */
#define FIRST_SHARE (UINT64_C(16) << 20) /* until the reader has given out shares */

/* Not by libc's syscall: the recorder takes futexes there for the program's (sync_release). */
static void call_futex(uint32_t *word, int what, uint32_t value)
{
	sc_raw(SYS_futex, (uint64_t)(uintptr_t)word, (uint64_t)(what | FUTEX_PRIVATE_FLAG), value,
	       0, 0, 0);
}

uint64_t sc_room_limit(int resource)
{
	struct rlimit limit;

	if (sc_sys_getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

bool sc_room_is_ours(const struct sc_writer *w, int fd)
{
	struct stat st;

	return !sc_sys_fstat(fd, &st) && st.st_dev == w->device && st.st_ino == w->inode;
}

/* A descriptor of the trace file: ours, or a new one if the program closed it under us. A lost one
 * is not replaced in `w`, since its number may be the program's by now; *temporary is then set. */
int sc_room_descriptor(const struct sc_writer *w, bool *temporary)
{
	int fd = __atomic_load_n(&w->fd, __ATOMIC_RELAXED);

	*temporary = 0;
	if (sc_room_is_ours(w, fd))
		return fd;
	fd = w->path[0] ? sc_sys_open(w->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
	if (fd < 0)
		return -1;
	if (!sc_room_is_ours(w, fd)) {
		sc_sys_close(fd);
		return -1;
	}
	*temporary = 1;
	return fd;
}

/* Bytes that the file takes if it has room for so many slots. */
static uint64_t used_with(const struct sc_writer *w, uint64_t slots)
{
	/* acquire: pairs with the release in sc_giver_punch */
	uint64_t given = __atomic_load_n(&sc_trace_given(w->head)->bytes, __ATOMIC_ACQUIRE);

	return sc_room_offset(slots) > given ? sc_room_offset(slots) - given : 0;
}

bool sc_room_is_too_much(const struct sc_writer *w, uint64_t slots)
{
	return w->bound && used_with(w, slots) > w->bound;
}

/* What this process may use before its threads wait. */
static uint64_t share_of(const struct sc_writer *w)
{
	uint64_t share = __atomic_load_n(&sc_trace_given(w->head)->share, __ATOMIC_RELAXED);

	if (!share)
		share = FIRST_SHARE;
	return share < w->bound ? share : w->bound;
}

bool sc_writer_has_room(const struct sc_writer *w)
{
	uint64_t ready = __atomic_load_n(&w->ready_slots, __ATOMIC_RELAXED);

	return used_with(w, ready) <= share_of(w) / EIGHTH * 5;
}

static void look_at_bound(struct sc_writer *w, uint64_t ready)
{
	void (*fall_behind)(void) = __atomic_load_n(&w->fall_behind, __ATOMIC_RELAXED);

	if (fall_behind && used_with(w, ready) > share_of(w) / EIGHTH * 6 &&
	    !__atomic_exchange_n(&w->is_behind, 1, __ATOMIC_RELAXED))
		fall_behind();
}

/* Drops the pages of the step before the last one from the resident set; their content stays in
 * the file, and a late write to them only faults the page in again. */
static void release_past(struct sc_writer *w, uint64_t slot)
{
	uint64_t steps = slot / STEP_SLOTS;

	if (steps < 2)
		return;
	sc_sys_madvise(w->slots + (steps - 2) * STEP_SLOTS, STEP_SLOTS * SC_SLOT_SIZE,
		       MADV_DONTNEED);
}

/* Maps what was given back anew, because the kernel keeps the page tables of a mapping: two
 * thousandths of a trace that may have any length. Nobody touches these slots. */
static void renew_past(struct sc_writer *w, int fd)
{
	uint64_t from = __atomic_load_n(&w->renewed, __ATOMIC_RELAXED), end;

	if (!w->bound)
		return;
	/* acquire: pairs with the release in sc_giver_take */
	end = __atomic_load_n(&sc_trace_given(w->head)->slots, __ATOMIC_ACQUIRE);
	end -= end % RENEW_SLOTS;
	if (end <= from || end > w->max_slots ||
	    !__atomic_compare_exchange_n(&w->renewed, &from, end, 0, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	sc_raw(SYS_mmap, (uint64_t)(uintptr_t)(w->slots + from), (end - from) * SC_SLOT_SIZE,
	       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, (uint64_t)fd,
	       sc_room_offset(from));
}

static void publish_ready(struct sc_writer *w, uint64_t slots)
{
	uint64_t old = __atomic_load_n(&w->ready_slots, __ATOMIC_RELAXED);

	sc_assert(slots <= w->max_slots);
	/* Release: paired with the acquire in reserve; the room exists before its publication. */
	while (old < slots && !__atomic_compare_exchange_n(&w->ready_slots, &old, slots, 1,
							   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Writes zeros: into blocks that are there, but were never written, a file system enters pages that
 * a call writes in large pieces, and those that the first store to each finds missing one by one,
 * which takes it four times as long. Only where nobody can have written: beyond what is ready, of
 * which this thread alone makes more, and beyond the cursor, which the child of a fork that went
 * past libc shares. */
static int write_piece(const struct sc_writer *w, int fd, uint64_t at, uint64_t end)
{
	static uint8_t zeros[PIECE_BYTES];
	uint64_t used = sc_room_offset(__atomic_load_n(&w->head->slots, __ATOMIC_SEQ_CST));
	long done;

	at = at < used ? used : at;
	if (at >= end)
		return 0;
	done = sc_raw(SYS_pwrite64, (uint64_t)fd, (uint64_t)(uintptr_t)zeros, end - at, at, 0, 0);
	return done == -ENOSPC || done == -EDQUOT ? (int)done : 0;
}

/* Brings the pages in: far cheaper than a fault for every page on the way. A few at a time: a
 * thread that changes the address space meanwhile, the page guard too, waits for this call. */
static int populate(struct sc_writer *w, int fd, uint64_t from, uint64_t end)
{
	uint64_t at = sc_room_offset(from), last = sc_room_offset(end), next;
	int err = 0;

	for (; at < last && !err && !sc_room_is_closed(w); at = next) {
		next = (at / PIECE_BYTES + 1) * PIECE_BYTES;
		next = next < last ? next : last;
		err = write_piece(w, fd, at, next);
#ifdef MADV_POPULATE_WRITE
		at &= ~UINT64_C(4095);
		sc_sys_madvise((uint8_t *)w->head + at, next - at, MADV_POPULATE_WRITE);
#endif
	}
	return err;
}

static bool is_there(uint32_t thread)
{
	return sc_raw(SYS_tgkill, (uint64_t)getpid(), thread, 0, 0, 0, 0) != -ESRCH;
}

/* One thread at a time makes room, so that it may write zeros; who comes meanwhile has it when that
 * one is through. Its signals are held off, so nothing that interrupts it waits for it. */
static void begin_making(struct sc_writer *w)
{
	const struct timespec a_while = {.tv_nsec = LOOK_NS};
	uint32_t self = (uint32_t)sc_raw(SYS_gettid, 0, 0, 0, 0, 0, 0), other = 0;

	while (!__atomic_compare_exchange_n(&w->maker, &other, self, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		sc_raw(SYS_futex, (uint64_t)(uintptr_t)&w->maker, FUTEX_WAIT_PRIVATE, other,
		       (uint64_t)(uintptr_t)&a_while, 0, 0);
		if (is_there(other)) /* not in the child of a fork that went past libc */
			other = 0;
	}
}

static void end_making(struct sc_writer *w)
{
	__atomic_store_n(&w->maker, 0, __ATOMIC_RELEASE);
	call_futex(&w->maker, FUTEX_WAKE, 1);
}

static int allocate(struct sc_writer *w, int fd, uint64_t end)
{
	uint64_t from = __atomic_load_n(&w->ready_slots, __ATOMIC_ACQUIRE);
	uint64_t limit = sc_room_limit(RLIMIT_FSIZE);
	int err;

	if (end > w->max_slots)
		end = w->max_slots;
	if (end <= from)
		return 0;
	if (sc_room_offset(end) > limit)
		return -EFBIG;
	err = sc_sys_fallocate(fd, 0, (off_t)sc_room_offset(from),
			       (off_t)((end - from) * SC_SLOT_SIZE));
	err = err ? -errno : populate(w, fd, from, end);
	if (err)
		return err;
	publish_ready(w, end);
	release_past(w, from);
	renew_past(w, fd);
	look_at_bound(w, end);
	return 0;
}

static int allocate_to(struct sc_writer *w, int fd, uint64_t end)
{
	int err;

	begin_making(w);
	err = allocate(w, fd, end);
	end_making(w);
	return err;
}

/* Where there is no fallocate, every record makes room for itself by writing its own slots. */
static int write_zeros(int fd, uint64_t first, uint32_t n)
{
	static const uint8_t zeros[4096];
	uint64_t at = sc_room_offset(first), end = sc_room_offset(first + n);

	if (end > sc_room_limit(RLIMIT_FSIZE))
		return -EFBIG;
	while (at < end) {
		size_t part = end - at < sizeof(zeros) ? end - at : sizeof(zeros);
		ssize_t done = sc_sys_pwrite(fd, zeros, part, (off_t)at);

		if (done <= 0)
			return done ? -errno : -ENOSPC;
		at += (uint64_t)done;
	}
	return 0;
}

static int make_room(struct sc_writer *w, int fd, uint64_t first, uint32_t n)
{
	uint64_t end = first + n;
	int err = -EOPNOTSUPP;

	sc_assert(end <= w->max_slots);
	if (!__atomic_load_n(&w->no_allocate, __ATOMIC_RELAXED)) {
		err = -ENOSPC;
		if (!sc_room_is_too_much(w, (end / STEP_SLOTS + 1) * STEP_SLOTS))
			err = allocate_to(w, fd, (end / STEP_SLOTS + 1) * STEP_SLOTS);
		if (err == -ENOSPC || err == -EDQUOT || err == -EFBIG)
			err = allocate_to(w, fd, (end + PAGE_SLOTS - 1) & ~(PAGE_SLOTS - 1));
	}
	if (err == -EOPNOTSUPP || err == -ENOSYS) {
		__atomic_store_n(&w->no_allocate, 1, __ATOMIC_RELAXED);
		err = write_zeros(fd, first, n);
	}
	return err;
}

/* Any number of threads may be in here. Signals are held off so that a signal that comes all the
 * time cannot keep a long fallocate from ever ending.
 */
int sc_room_make(struct sc_writer *w, uint64_t first, uint32_t n)
{
	int saved = errno, err = -EBADF, fd;
	sigset_t all, old;
	bool temporary;

	sc_assert(n > 0 && first + n <= w->max_slots);
	sigfillset(&all);
	sc_sys_sigmask(SIG_BLOCK, &all, &old);
	__atomic_fetch_add(&w->growers, 1, __ATOMIC_SEQ_CST); /* see sc_writer_close */
	if (!sc_room_is_closed(w)) {
		fd = sc_room_descriptor(w, &temporary);
		if (fd >= 0) {
			err = make_room(w, fd, first, n);
			if (temporary)
				sc_sys_close(fd);
		}
	}
	sc_assert(__atomic_load_n(&w->growers, __ATOMIC_RELAXED) > 0);
	__atomic_fetch_sub(&w->growers, 1, __ATOMIC_SEQ_CST);
	sc_sys_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return err;
}

void sc_writer_bound(struct sc_writer *w, uint64_t bytes, void (*fall_behind)(void))
{
	w->fall_behind = fall_behind;
	w->bound = bytes - bytes / MARGIN;
}

/* The reader holds a lock of the file, which ends with it. */
bool sc_writer_is_followed(struct sc_writer *w)
{
	bool temporary, is_held = false;
	int saved = errno, fd;

	__atomic_fetch_add(&w->growers, 1, __ATOMIC_SEQ_CST); /* see sc_writer_close */
	fd = sc_room_is_closed(w) ? -1 : sc_room_descriptor(w, &temporary);
	if (fd >= 0) {
		is_held = sc_raw(SYS_flock, (uint64_t)fd, LOCK_SH | LOCK_NB, 0, 0, 0, 0) ==
			  -EWOULDBLOCK;
		if (!is_held)
			sc_raw(SYS_flock, (uint64_t)fd, LOCK_UN, 0, 0, 0, 0);
		if (temporary)
			sc_sys_close(fd);
	}
	__atomic_fetch_sub(&w->growers, 1, __ATOMIC_SEQ_CST);
	errno = saved;
	return is_held;
}

/* Making room ahead. */

void sc_room_ask(struct sc_writer *w)
{
	if (__atomic_load_n(&w->asked, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&w->asked, 1, __ATOMIC_ACQ_REL))
		return;
	if (__atomic_load_n(&w->served, __ATOMIC_RELAXED))
		call_futex(&w->asked, FUTEX_WAKE, 1);
}

void sc_writer_serve(struct sc_writer *w)
{
	while (!sc_room_is_closed(w)) {
		uint64_t ready = __atomic_load_n(&w->ready_slots, __ATOMIC_ACQUIRE);
		uint64_t used = __atomic_load_n(&w->head->slots, __ATOMIC_RELAXED);

		if (used + SC_ROOM_NEAR <= ready || ready >= w->max_slots ||
		    sc_room_is_too_much(w, ready + STEP_SLOTS) ||
		    __atomic_load_n(&w->no_allocate, __ATOMIC_RELAXED)) {
			if (!__atomic_exchange_n(&w->asked, 0, __ATOMIC_ACQ_REL))
				call_futex(&w->asked, FUTEX_WAIT, 0);
		} else if (sc_room_make(w, ready, 1)) {
			return; /* a full disk: the writers find out themselves */
		}
	}
}
