/* What calls do to the program's memory: opened, kept open meanwhile, and recorded when it is done.
 */
#include "interposer/libc/side_effect.h"

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
#include "interposer/arch/valgrind.h"
#include "interposer/sync/descriptor.h"
#include "interposer/sync/channel.h"
#include "interposer/object/memory.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/thread.h"
#include "interposer/sync/sync.h"

#define MOST_ELEMENTS 1024 /* of a vector, messages of a batch: the kernel takes no more */

void sc_side_effect_begin(struct sc_side_effects *e, enum sc_failure_form failure)
{
	e->low = e->high = e->data = 0;
	e->exemption = e->count = 0;
	e->after = SC_AFTER_NOTHING;
	e->caller = 0;
	e->failure = failure;
	e->is_brief = false;
}

bool sc_side_effect_is_needed(const struct sc_side_effects *e)
{
	return e->exemption || e->count || e->after;
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
static void exempt(struct sc_side_effects *e, uint64_t start, uint64_t bytes)
{
	if (e->is_brief || !is_guarding() || !sc_memory_touches(&sc_memory, start, bytes))
		return;
	if (e->exemption && e->low <= start && start + bytes <= e->high)
		return;
	e->low = e->low && e->low < start ? e->low : start;
	e->high = e->high > start + bytes ? e->high : start + bytes;
	e->exemption = sc_guard_exempt(e->exemption, e->low, e->high, e);
}

/* Opens; returns where it first meets something in flight, or 0. */
static uint64_t meet(struct sc_side_effects *e, uint64_t start, uint64_t bytes, bool is_write)
{
	exempt(e, start, bytes);
	return sc_guard_meet(start, bytes, is_write, e->exemption);
}

static void put(const struct sc_kept_access *a, uint64_t bytes)
{
	if (bytes)
		sc_host_put(a->is_write ? SC_OP_HOST_WRITE : SC_OP_HOST_READ, a->start, bytes,
			    SC_FLAG_LIBC);
}

/* The access of a call that does not return is recorded now. */
static void keep(struct sc_side_effects *e, struct sc_kept_access access)
{
	if (sc_self.depth)
		return;
	if (e->is_brief)
		put(&access, access.bytes);
	else if (e->count < SC_KEPT_ACCESSES)
		e->access[e->count++] = access;
}

/* ---- accesses ---- */

void sc_side_effect_open(struct sc_side_effects *e, uint64_t start, uint64_t bytes)
{
	if (!is_there(start, bytes))
		return;
	if (sc_self.busy) {
		sc_guard_force(start, bytes);
		return;
	}
	exempt(e, start, bytes);
	sc_guard_open_range(start, bytes, e->exemption);
}

/* Opens, and keeps for later what conflicts. */
static void add(struct sc_side_effects *e, struct sc_kept_access access)
{
	if (!is_there(access.start, access.bytes))
		return;
	if (sc_self.busy) { /* a handler interrupted the recorder, or it is the recorder */
		sc_guard_force(access.start, access.bytes);
		return;
	}
	if (meet(e, access.start, access.bytes, access.is_write))
		keep(e, access);
}

void sc_side_effect_access(struct sc_side_effects *e, uint64_t start, uint64_t bytes, bool is_write)
{
	add(e, (struct sc_kept_access){.start = start, .bytes = bytes, .is_write = is_write});
}

void sc_side_effect_data(struct sc_side_effects *e, uint64_t start, uint64_t bytes, uint64_t unit,
			 bool is_write)
{
	add(e, (struct sc_kept_access){.start = start,
				       .bytes = bytes,
				       .before = e->data,
				       .unit = unit,
				       .extent = SC_EXTENT_RESULT,
				       .is_write = is_write});
	e->data += bytes;
}

void sc_side_effect_text(struct sc_side_effects *e, uint64_t start, uint64_t bytes)
{
	add(e, (struct sc_kept_access){
		       .start = start, .bytes = bytes, .extent = SC_EXTENT_TEXT, .is_write = true});
}

void sc_side_effect_device(uint64_t start, uint64_t bytes, bool is_write)
{
	if (!sc_self.busy && sc_memory_may_be_known(&sc_memory, start))
		sc_host_access_device(start, bytes, is_write);
}

bool sc_side_effect_read(struct sc_side_effects *e, uint64_t from, void *to, uint64_t bytes)
{
	struct sc_safe_read memory;
	bool ok;

	sc_side_effect_access(e, from, bytes, false);
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
static uint64_t end_of_string(struct sc_side_effects *e, uint64_t at, uint64_t end, uint64_t *first)
{
	while (at < end) {
		uint64_t next = (at | (SC_PAGE - 1)) + 1;
		uint64_t bytes = (next < end ? next : end) - at, length, met;

		met = meet(e, at, bytes, false);
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
static void open_outside(struct sc_side_effects *e, uint64_t start, uint64_t most)
{
	uint64_t bytes = SC_PAGE - start % SC_PAGE, length;

	bytes = bytes < most ? bytes : most;
	if (sc_safe_read_is_possible(start) &&
	    (length = strnlen((const char *)start, bytes)) < bytes)
		bytes = length + 1;
	else if (bytes < most)
		bytes = SC_PAGE;
	sc_side_effect_open(e, start, bytes);
}

void sc_side_effect_string(struct sc_side_effects *e, uint64_t start, uint64_t most)
{
	uint64_t end, after, first = 0;

	if (!is_there(start, SC_PAGE) || !most)
		return;
	end = sc_self.busy ? 0 : end_of_memory(start);
	if (!end) {
		open_outside(e, start, most);
		return;
	}
	after = end_of_string(e, start, end - start > most ? start + most : end, &first);
	if (first && first < after)
		keep(e, (struct sc_kept_access){.start = start, .bytes = after - start});
}

static bool is_idle(void)
{
	return !sc_memory_has_host(&sc_memory) &&
	       !atomic_load_explicit(&sc_guard.live, memory_order_relaxed);
}

void sc_side_effect_strings(struct sc_side_effects *e, uint64_t list)
{
	uint64_t at;

	if (is_idle())
		return;
	for (;; list += sizeof(at)) { /* it ends with a NULL, or where memory does */
		if (!sc_side_effect_read(e, list, &at, sizeof(at)) || !at)
			return;
		sc_side_effect_string(e, at, UINT64_MAX);
	}
}

/* ---- vectors and messages ---- */

void sc_side_effect_vector(struct sc_side_effects *e, uint64_t vector, uint64_t count,
			   bool is_write)
{
	struct iovec v;

	if (is_idle())
		return;
	for (uint64_t i = 0; i < count && i < MOST_ELEMENTS; i++, vector += sizeof(v)) {
		if (!sc_side_effect_read(e, vector, &v, sizeof(v)))
			return;
		sc_side_effect_data(e, (uint64_t)v.iov_base, v.iov_len, 1, is_write);
	}
}

/* The kernel also reads the struct, and reads or writes the rest. */
void sc_side_effect_message(struct sc_side_effects *e, uint64_t message, bool is_write)
{
	struct msghdr m;

	if (is_idle() || !sc_side_effect_read(e, message, &m, sizeof(m)))
		return;
	sc_side_effect_open(e, message, sizeof(m));
	sc_side_effect_open(e, (uint64_t)m.msg_name, m.msg_namelen);
	sc_side_effect_open(e, (uint64_t)m.msg_control, m.msg_controllen);
	sc_side_effect_vector(e, (uint64_t)m.msg_iov, m.msg_iovlen, is_write);
}

/* The result counts messages; each message's length follows the message when the call is over. */
static void mark(struct sc_side_effects *e, uint32_t from, uint32_t index, uint64_t message)
{
	for (uint32_t i = from; i < e->count; i++) {
		if (e->access[i].extent != SC_EXTENT_RESULT)
			continue;
		e->access[i].extent = SC_EXTENT_BATCH;
		e->access[i].index = index;
		e->access[i].length = message + offsetof(struct mmsghdr, msg_len);
	}
}

void sc_side_effect_messages(struct sc_side_effects *e, uint64_t messages, uint64_t count,
			     bool is_write)
{
	if (is_idle())
		return;
	for (uint32_t i = 0; i < (uint32_t)count && i < MOST_ELEMENTS; i++) {
		uint64_t message = messages + i * sizeof(struct mmsghdr);
		uint32_t before = e->count;

		e->data = 0;
		sc_side_effect_message(e, message, is_write);
		sc_side_effect_open(e, message, sizeof(struct mmsghdr));
		mark(e, before, i, message);
	}
}

/* ---- channels ---- */

/* Without host functions the order is not needed (sync.h). */
static bool is_wanted(void)
{
	return atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed);
}

void sc_side_effect_release(const struct sc_side_effects *e, uint64_t fd)
{
	if (is_wanted())
		sc_channel_release(e->caller, (int)fd);
}

/* The channel that the call acquires when it returns, as far as is known now; 0: none. */
static uint64_t channel_of(const struct sc_side_effects *e, enum sc_after after)
{
	if (!is_wanted())
		return SC_CHANNEL_LATER;
	return after == SC_AFTER_WOKEN ? sc_channel_of_wait(e->caller, e->awaited)
				       : sc_channel_of_read(e->caller, (int)e->awaited);
}

void sc_side_effect_acquire(struct sc_side_effects *e, uint64_t fd, enum sc_after after)
{
	e->awaited = fd;
	e->channel = channel_of(e, after);
	e->after = e->channel ? after : SC_AFTER_NOTHING;
}

void sc_side_effect_wake(const struct sc_side_effects *e, uint64_t word)
{
	if (is_wanted())
		sc_channel_wake(e->caller, word);
}

void sc_side_effect_sleep(struct sc_side_effects *e, uint64_t word)
{
	sc_side_effect_acquire(e, word, SC_AFTER_WOKEN);
}

void sc_side_effect_close(uint64_t fd)
{
	if (is_wanted())
		sc_descriptor_close((int)fd);
}

void sc_side_effect_close_stream(uint64_t stream)
{
	if (is_wanted())
		sc_descriptor_close(fileno((FILE *)stream));
}

void sc_side_effect_make(struct sc_side_effects *e, enum sc_after after, uint64_t pair)
{
	if (!is_wanted())
		return;
	e->after = after;
	e->channel = pair;
}

static void acquire(const struct sc_side_effects *e)
{
	uint64_t channel = e->channel;

	if (channel == SC_CHANNEL_LATER)
		channel = channel_of(e, (enum sc_after)e->after);
	if (channel && channel != SC_CHANNEL_LATER)
		sc_channel_acquire(channel);
}

static void finish(const struct sc_side_effects *e, int32_t result)
{
	switch ((enum sc_after)e->after) {
	case SC_AFTER_NOTHING: return;
	case SC_AFTER_ACQUIRE:
		if (result > 0)
			acquire(e);
		return;
	case SC_AFTER_ACQUIRE_ANY:
	case SC_AFTER_WOKEN:
		if (result >= 0)
			acquire(e);
		return;
	case SC_AFTER_MADE: sc_descriptor_forget(result); return;
	case SC_AFTER_MADE_PAIR:
		if (result)
			return;
		sc_descriptor_forget(((const int *)e->channel)[0]);
		sc_descriptor_forget(((const int *)e->channel)[1]);
	}
}

/* ---- the end ---- */

static bool has_failed(const struct sc_side_effects *e, int64_t result)
{
	switch ((enum sc_failure_form)e->failure) {
	case SC_FAILS_MINUS: return (int32_t)result == -1;
	case SC_FAILS_ZERO: return !result;
	case SC_FAILS_CODE: return (int32_t)result != 0;
	}
	return true;
}

/* The part of an access that lies within the first `bytes` of the data. */
static uint64_t part_of(const struct sc_kept_access *a, uint64_t bytes)
{
	bytes = bytes > a->before ? bytes - a->before : 0;
	return bytes < a->bytes ? bytes : a->bytes;
}

static uint64_t bytes_of(const struct sc_kept_access *a, int64_t result)
{
	uint64_t count = (int32_t)result > 0 ? (uint64_t)(int32_t)result : 0, bytes;

	switch ((enum sc_access_extent)a->extent) {
	case SC_EXTENT_ALL: break;
	case SC_EXTENT_RESULT: return part_of(a, count * a->unit);
	case SC_EXTENT_BATCH:
		return a->index < count ? part_of(a, *(const uint32_t *)a->length) : 0;
	case SC_EXTENT_TEXT:
		bytes = strnlen((const char *)a->start, a->bytes);
		return bytes < a->bytes ? bytes + 1 : bytes;
	}
	return a->bytes;
}

void sc_side_effect_end(struct sc_side_effects *e, int64_t result)
{
	int saved = errno;
	bool failed = has_failed(e, result);

	for (uint32_t i = 0; !failed && i < e->count; i++) {
		const struct sc_kept_access *a = &e->access[i];

		put(a, bytes_of(a, result));
	}
	finish(e, (int32_t)result);
	if (e->exemption)
		sc_guard_exempt_end(e->exemption);
	errno = saved;
}
