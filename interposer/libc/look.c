/* What calls do to the program's memory: opened, kept open meanwhile, and recorded when it is done.
 */
#include "interposer/libc/look.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "interposer/guard/host.h"
#include "interposer/core/safe_read.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/valgrind.h"
#include "interposer/sync/descriptor.h"
#include "interposer/sync/channel.h"
#include "interposer/object/memory.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/thread.h"
#include "interposer/sync/sync.h"

#define MOST_ELEMENTS 1024 /* of a vector, messages of a batch: the kernel takes no more */

void sc_look_begin(struct sc_look *l, enum sc_look_failure failure)
{
	l->low = l->high = l->data = 0;
	l->exemption = l->count = 0;
	l->then = SC_THEN_NOTHING;
	l->caller = 0;
	l->failure = failure;
	l->is_brief = false;
}

bool sc_look_is_needed(const struct sc_look *l)
{
	return l->exemption || l->count || l->then;
}

/* ---- places ---- */

static bool is_guarding(void)
{
	return sc_session.options.guard != SC_GUARD_OFF &&
	       !atomic_load_explicit(&sc_guard.stood_down, memory_order_relaxed);
}

/* Could some of it be CUDA's host memory, or watched? Most addresses end here. */
static bool is_near(uint64_t start, uint64_t bytes)
{
	const struct sc_memory_table *m = &sc_memory;

	return (start < atomic_load_explicit(&m->host_high, memory_order_relaxed) &&
		start + bytes > atomic_load_explicit(&m->host_low, memory_order_relaxed)) ||
	       sc_guard_near(&sc_guard, start, bytes);
}

static bool is_there(uint64_t start, uint64_t bytes)
{
	return start && bytes && start + bytes > start && is_near(start, bytes);
}

/* Before anything is opened: what is watched meanwhile must find it. */
static void exempt(struct sc_look *l, uint64_t start, uint64_t bytes)
{
	if (l->is_brief || !is_guarding() || !sc_memory_touches(&sc_memory, start, bytes))
		return;
	if (l->exemption && l->low <= start && start + bytes <= l->high)
		return;
	l->low = l->low && l->low < start ? l->low : start;
	l->high = l->high > start + bytes ? l->high : start + bytes;
	l->exemption = sc_guard_exempt(l->exemption, l->low, l->high, l);
}

/* Opens; returns where it first meets something in flight, or 0. */
static uint64_t meet(struct sc_look *l, uint64_t start, uint64_t bytes, bool is_write)
{
	exempt(l, start, bytes);
	return sc_guard_meet(start, bytes, is_write, l->exemption);
}

static void put(const struct sc_look_access *a, uint64_t bytes)
{
	if (bytes)
		sc_host_put(a->is_write ? SC_OP_HOST_WRITE : SC_OP_HOST_READ, a->start, bytes,
			    SC_FLAG_LIBC);
}

/* The access of a call that does not return is recorded now. */
static void keep(struct sc_look *l, struct sc_look_access access)
{
	if (sc_self.depth)
		return;
	if (l->is_brief)
		put(&access, access.bytes);
	else if (l->count < SC_LOOK_MOST)
		l->access[l->count++] = access;
}

/* ---- looks ---- */

void sc_look_open(struct sc_look *l, uint64_t start, uint64_t bytes)
{
	if (!is_there(start, bytes))
		return;
	if (sc_self.busy) {
		sc_guard_force(start, bytes);
		return;
	}
	exempt(l, start, bytes);
	sc_guard_open_range(start, bytes, l->exemption);
}

/* Opens, and keeps for later what conflicts. */
static void look(struct sc_look *l, struct sc_look_access access)
{
	if (!is_there(access.start, access.bytes))
		return;
	if (sc_self.busy) { /* a handler interrupted the recorder, or it is the recorder */
		sc_guard_force(access.start, access.bytes);
		return;
	}
	if (meet(l, access.start, access.bytes, access.is_write))
		keep(l, access);
}

void sc_look_touched(struct sc_look *l, uint64_t start, uint64_t bytes, bool is_write)
{
	look(l, (struct sc_look_access){.start = start, .bytes = bytes, .is_write = is_write});
}

void sc_look_data(struct sc_look *l, uint64_t start, uint64_t bytes, uint64_t unit, bool is_write)
{
	look(l, (struct sc_look_access){.start = start,
					.bytes = bytes,
					.before = l->data,
					.unit = unit,
					.extent = SC_LOOK_RESULT,
					.is_write = is_write});
	l->data += bytes;
}

void sc_look_text(struct sc_look *l, uint64_t start, uint64_t bytes)
{
	look(l, (struct sc_look_access){
			.start = start, .bytes = bytes, .extent = SC_LOOK_TEXT, .is_write = true});
}

void sc_look_device(uint64_t start, uint64_t bytes, bool is_write)
{
	if (!sc_self.busy && sc_memory_may_be_known(&sc_memory, start))
		sc_host_access_device(start, bytes, is_write);
}

bool sc_look_read(struct sc_look *l, uint64_t from, void *to, uint64_t bytes)
{
	struct sc_safe_read memory;
	bool ok;

	sc_look_touched(l, from, bytes, false);
	sc_safe_read_begin(&memory);
	ok = sc_safe_read_bytes(&memory, to, from, bytes);
	sc_safe_read_end(&memory);
	return ok;
}

/* ---- strings ---- */

/* The end of memory in which a string may be looked for: what the guard may have protected is
 * memory that the program can read, and nothing else is read here. */
static uint64_t end_of_memory(uint64_t address)
{
	struct sc_known_allocation a;

	if (!sc_memory_look_up(&sc_memory, address, &a) || !sc_memory_is_host(a.memory) || a.host ||
	    a.is_open)
		return 0;
	return a.start + a.bytes;
}

/* Page by page: no more is opened than there is of the string. Returns the address after its end,
 * or 0; *first is where it first meets something in flight. */
static uint64_t end_of_string(struct sc_look *l, uint64_t at, uint64_t end, uint64_t *first)
{
	while (at < end) {
		uint64_t next = (at | (SC_PAGE - 1)) + 1;
		uint64_t bytes = (next < end ? next : end) - at, length, met;

		met = meet(l, at, bytes, false);
		*first = *first ? *first : met;
		if (!sc_safe_read_is_possible(at))
			return 0;
		length = strnlen((const char *)at, bytes);
		at += length;
		if (length < bytes)
			return at + 1;
	}
	return end;
}

/* The string may begin before CUDA's memory and reach into it. If the string ends on its first
 * page, no more than the string is opened. */
static void open_outside(struct sc_look *l, uint64_t start, uint64_t most)
{
	uint64_t bytes = SC_PAGE - start % SC_PAGE, length;

	bytes = bytes < most ? bytes : most;
	if (sc_safe_read_is_possible(start) &&
	    (length = strnlen((const char *)start, bytes)) < bytes)
		bytes = length + 1;
	else if (bytes < most)
		bytes = SC_PAGE;
	sc_look_open(l, start, bytes);
}

void sc_look_string(struct sc_look *l, uint64_t start, uint64_t most)
{
	uint64_t end, behind, first = 0;

	if (!is_there(start, SC_PAGE) || !most)
		return;
	end = sc_self.busy ? 0 : end_of_memory(start);
	if (!end) {
		open_outside(l, start, most);
		return;
	}
	behind = end_of_string(l, start, end - start > most ? start + most : end, &first);
	if (first && first < behind)
		keep(l, (struct sc_look_access){.start = start, .bytes = behind - start});
}

static bool is_idle(void)
{
	return !sc_memory_has_host(&sc_memory) &&
	       !atomic_load_explicit(&sc_guard.live, memory_order_relaxed);
}

void sc_look_strings(struct sc_look *l, uint64_t list)
{
	uint64_t at;

	if (is_idle())
		return;
	for (;; list += sizeof(at)) { /* it ends with a NULL, or where memory does */
		if (!sc_look_read(l, list, &at, sizeof(at)) || !at)
			return;
		sc_look_string(l, at, UINT64_MAX);
	}
}

/* ---- vectors and messages ---- */

void sc_look_vector(struct sc_look *l, uint64_t vector, uint64_t count, bool is_write)
{
	struct iovec v;

	if (is_idle())
		return;
	for (uint64_t i = 0; i < count && i < MOST_ELEMENTS; i++, vector += sizeof(v)) {
		if (!sc_look_read(l, vector, &v, sizeof(v)))
			return;
		sc_look_data(l, (uint64_t)v.iov_base, v.iov_len, 1, is_write);
	}
}

/* The kernel also reads the struct, and reads or writes the rest. */
void sc_look_message(struct sc_look *l, uint64_t message, bool is_write)
{
	struct msghdr m;

	if (is_idle() || !sc_look_read(l, message, &m, sizeof(m)))
		return;
	sc_look_open(l, message, sizeof(m));
	sc_look_open(l, (uint64_t)m.msg_name, m.msg_namelen);
	sc_look_open(l, (uint64_t)m.msg_control, m.msg_controllen);
	sc_look_vector(l, (uint64_t)m.msg_iov, m.msg_iovlen, is_write);
}

/* The result counts messages; each message's length follows the message when the call is over. */
static void mark(struct sc_look *l, uint32_t from, uint32_t index, uint64_t message)
{
	for (uint32_t i = from; i < l->count; i++) {
		if (l->access[i].extent != SC_LOOK_RESULT)
			continue;
		l->access[i].extent = SC_LOOK_BATCH;
		l->access[i].index = index;
		l->access[i].length = message + offsetof(struct mmsghdr, msg_len);
	}
}

void sc_look_messages(struct sc_look *l, uint64_t messages, uint32_t count, bool is_write)
{
	if (is_idle())
		return;
	for (uint32_t i = 0; i < count && i < MOST_ELEMENTS; i++) {
		uint64_t message = messages + i * sizeof(struct mmsghdr);
		uint32_t before = l->count;

		l->data = 0;
		sc_look_message(l, message, is_write);
		sc_look_open(l, message, sizeof(struct mmsghdr));
		mark(l, before, i, message);
	}
}

/* ---- channels ---- */

/* Without host functions the order is not needed (sync.h). */
static bool is_wanted(void)
{
	return atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed);
}

void sc_look_tells(const struct sc_look *l, uint64_t fd)
{
	if (is_wanted())
		sc_channel_tell(l->caller, (int)fd);
}

/* The channel that the call acquires when it returns, as far as is known now; 0: none. */
static uint64_t channel_of(const struct sc_look *l, enum sc_look_then then)
{
	if (!is_wanted())
		return SC_LOOK_LATER;
	return then == SC_THEN_WOKEN ? sc_channel_sleep(l->caller, l->heard)
				     : sc_channel_listen(l->caller, (int)l->heard);
}

void sc_look_hears(struct sc_look *l, uint64_t fd, enum sc_look_then then)
{
	l->heard = fd;
	l->channel = channel_of(l, then);
	l->then = l->channel ? then : SC_THEN_NOTHING;
}

void sc_look_wakes(const struct sc_look *l, uint64_t word)
{
	if (is_wanted())
		sc_channel_wake(l->caller, word);
}

void sc_look_sleeps(struct sc_look *l, uint64_t word)
{
	sc_look_hears(l, word, SC_THEN_WOKEN);
}

void sc_look_closes(uint64_t fd)
{
	if (is_wanted())
		sc_descriptor_close((int)fd);
}

void sc_look_closes_stream(uint64_t stream)
{
	if (is_wanted())
		sc_descriptor_close(fileno((FILE *)stream));
}

void sc_look_makes(struct sc_look *l, enum sc_look_then then, uint64_t pair)
{
	if (!is_wanted())
		return;
	l->then = then;
	l->channel = pair;
}

static void hear(const struct sc_look *l)
{
	uint64_t channel = l->channel;

	if (channel == SC_LOOK_LATER)
		channel = channel_of(l, (enum sc_look_then)l->then);
	if (channel && channel != SC_LOOK_LATER)
		sc_channel_hear(channel);
}

static void finish(const struct sc_look *l, int32_t result)
{
	switch ((enum sc_look_then)l->then) {
	case SC_THEN_NOTHING: return;
	case SC_THEN_HEAR:
		if (result > 0)
			hear(l);
		return;
	case SC_THEN_HEAR_ANY:
	case SC_THEN_WOKEN:
		if (result >= 0)
			hear(l);
		return;
	case SC_THEN_MADE: sc_descriptor_forget(result); return;
	case SC_THEN_MADE_PAIR:
		if (result)
			return;
		sc_descriptor_forget(((const int *)l->channel)[0]);
		sc_descriptor_forget(((const int *)l->channel)[1]);
	}
}

/* ---- the end ---- */

static bool has_failed(const struct sc_look *l, int64_t result)
{
	switch ((enum sc_look_failure)l->failure) {
	case SC_FAILS_MINUS: return (int32_t)result == -1;
	case SC_FAILS_ZERO: return !result;
	case SC_FAILS_CODE: return (int32_t)result != 0;
	}
	return true;
}

/* The part of an access that lies within the first `bytes` of the data. */
static uint64_t part_of(const struct sc_look_access *a, uint64_t bytes)
{
	bytes = bytes > a->before ? bytes - a->before : 0;
	return bytes < a->bytes ? bytes : a->bytes;
}

static uint64_t bytes_of(const struct sc_look_access *a, int64_t result)
{
	uint64_t count = (int32_t)result > 0 ? (uint64_t)(int32_t)result : 0, bytes;

	switch ((enum sc_look_extent)a->extent) {
	case SC_LOOK_ALL: break;
	case SC_LOOK_RESULT: return part_of(a, count * a->unit);
	case SC_LOOK_BATCH: return a->index < count ? part_of(a, *(const uint32_t *)a->length) : 0;
	case SC_LOOK_TEXT:
		bytes = strnlen((const char *)a->start, a->bytes);
		return bytes < a->bytes ? bytes + 1 : bytes;
	}
	return a->bytes;
}

void sc_look_end(struct sc_look *l, int64_t result)
{
	int saved = errno;
	bool failed = has_failed(l, result);

	for (uint32_t i = 0; !failed && i < l->count; i++) {
		const struct sc_look_access *a = &l->access[i];

		put(a, bytes_of(a, result));
	}
	finish(l, (int32_t)result);
	if (l->exemption)
		sc_guard_exempt_end(l->exemption);
	errno = saved;
}
