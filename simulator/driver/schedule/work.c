/* Moving real bytes, row by row. */
#include "simulator/driver/schedule/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "simulator/driver/graph/decision.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/memory/hostmem.h"
#include "simulator/driver/memory/registered.h"

#define BOUNCE_BYTES 65536

/* Memory of the host that only it maps, registered or pageable; false: it is not there. */
static bool read_host(void *to, const struct sim_operand *src, size_t offset, size_t size)
{
	if (!src->alloc)
		return sim_hostmem_read(to, src->address + offset, size);
	sim_registered_read(to, src->address + offset, size);
	return true;
}

static bool write_host(const struct sim_operand *dst, size_t offset, const void *from, size_t size)
{
	if (!dst->alloc)
		return sim_hostmem_write(dst->address + offset, from, size);
	sim_registered_write(dst->address + offset, from, size);
	return true;
}

/* Between two ranges of such memory: through a buffer. */
static bool bounce(const struct sim_operand *dst, size_t dst_offset, const struct sim_operand *src,
		   size_t src_offset, size_t size)
{
	char buffer[BOUNCE_BYTES];
	size_t done, part;

	for (done = 0; done < size; done += part) {
		part = size - done < sizeof(buffer) ? size - done : sizeof(buffer);
		if (!read_host(buffer, src, src_offset + done, part) ||
		    !write_host(dst, dst_offset + done, buffer, part))
			return false;
	}
	return true;
}

#define MOVE_WORD(type)                                                                     \
	__atomic_store_n((type *)to, __atomic_load_n((const type *)from, __ATOMIC_RELAXED), \
			 __ATOMIC_RELAXED)

/* A word is written at once, as a device does it: a kernel in another stream may wait for it. */
static void move_bytes(char *to, const char *from, size_t size)
{
	size_t misalignment = ((uintptr_t)to | (uintptr_t)from) & (size - 1);

	if (size == sizeof(uint64_t) && !misalignment)
		MOVE_WORD(uint64_t);
	else if (size == sizeof(uint32_t) && !misalignment)
		MOVE_WORD(uint32_t);
	else if (size == sizeof(uint16_t) && !misalignment)
		MOVE_WORD(uint16_t);
	else if (size == sizeof(uint8_t))
		MOVE_WORD(uint8_t);
	else
		memmove(to, from, size);
}

static bool move(const struct sim_operand *dst, size_t dst_offset, const struct sim_operand *src,
		 size_t src_offset, size_t size)
{
	if (dst->bytes && src->bytes) {
		move_bytes(dst->bytes + dst_offset, src->bytes + src_offset, size);
		return true;
	}
	if (dst->bytes)
		return read_host(dst->bytes + dst_offset, src, src_offset, size);
	if (src->bytes)
		return write_host(dst, dst_offset, src->bytes + src_offset, size);
	return bounce(dst, dst_offset, src, src_offset, size);
}

static bool copy_one(const struct sim_copy *copy)
{
	size_t row, slice;

	for (slice = 0; slice < copy->depth; slice++)
		for (row = 0; row < copy->height; row++)
			if (!move(&copy->dst,
				  slice * copy->dst.slice_bytes + row * copy->dst.pitch_bytes,
				  &copy->src,
				  slice * copy->src.slice_bytes + row * copy->src.pitch_bytes,
				  copy->width_bytes))
				return false;
	return true;
}

bool sim_work_copy(const struct sim_copy *copy)
{
	for (; copy; copy = copy->next)
		if (!copy_one(copy))
			return false;
	return true;
}

/* One row of elements, in the machine's byte order. */
static void make_row(char *row, const struct sim_fill *fill)
{
	size_t i;

	if (fill->element_bytes == 1) {
		memset(row, (int)fill->value, fill->width);
		return;
	}
	for (i = 0; i < fill->width; i++)
		memcpy(row + i * fill->element_bytes, &fill->value, fill->element_bytes);
}

bool sim_work_fill(const struct sim_fill *fill)
{
	size_t row, row_bytes = fill->width * fill->element_bytes;
	struct sim_operand source = {.bytes = malloc(row_bytes ? row_bytes : 1)};
	bool done = source.bytes != NULL;

	if (done)
		make_row(source.bytes, fill);
	for (row = 0; done && row < fill->height; row++)
		done = move(&fill->dst, row * fill->dst.pitch_bytes, &source, 0, row_bytes);
	free(source.bytes);
	return done;
}

/* Gathers the source's rows; plain loads, so that a tool sees them as the caller's accesses. */
static void gather(char *to, const struct sim_copy *copy)
{
	const char *from = (const char *)copy->src.address;
	size_t row, slice;

	for (slice = 0; slice < copy->depth; slice++)
		for (row = 0; row < copy->height; row++, to += copy->width_bytes)
			memcpy(to,
			       from + slice * copy->src.slice_bytes + row * copy->src.pitch_bytes,
			       copy->width_bytes);
}

bool sim_work_stage(struct sim_copy *copy)
{
	size_t size = copy->width_bytes * copy->height * copy->depth;

	copy->staged = malloc(size ? size : 1);
	if (!copy->staged)
		return false;
	sim_unlock();
	gather(copy->staged, copy);
	sim_lock();
	sim_memory_put(copy->src.alloc);
	copy->src = (struct sim_operand){.bytes = copy->staged,
					 .pitch_bytes = copy->width_bytes,
					 .slice_bytes = copy->width_bytes * copy->height};
	return true;
}

static void hold(const struct sim_operand *operand)
{
	if (operand->alloc)
		sim_memory_get(operand->alloc);
}

/* A batch with all its copies; on failure nothing is held. */
static bool repeat_copies(const struct sim_copy *copy, struct sim_copy *again)
{
	struct sim_work made = {.kind = SIM_WORK_COPY, .copy = *copy};
	struct sim_copy **end = &made.copy.next;

	sc_assert(!copy->staged);
	hold(&copy->dst);
	hold(&copy->src);
	for (*end = NULL; (copy = copy->next); end = &(*end)->next) {
		*end = malloc(sizeof(**end));
		if (!*end) {
			sim_work_release(&made);
			return false;
		}
		**end = *copy;
		(*end)->next = NULL;
		hold(&copy->dst);
		hold(&copy->src);
	}
	*again = made.copy;
	return true;
}

bool sim_work_repeat(const struct sim_work *work, struct sim_work *again)
{
	*again = *work;
	if (work->kind == SIM_WORK_KERNEL && work->kernel.run) {
		again->kernel.run = sim_run_copy(work->kernel.run);
		return again->kernel.run != NULL;
	}
	if (work->kind == SIM_WORK_COPY)
		return repeat_copies(&work->copy, &again->copy);
	if (work->kind == SIM_WORK_FILL)
		hold(&work->fill.dst);
	return true;
}

static void release_copy(struct sim_copy *copy)
{
	sim_memory_put(copy->dst.alloc);
	sim_memory_put(copy->src.alloc);
	free(copy->staged);
}

void sim_work_release(struct sim_work *work)
{
	struct sim_copy *next;

	if (work->kind == SIM_WORK_KERNEL)
		sim_run_free(work->kernel.run);
	if (work->kind == SIM_WORK_DECISION)
		sim_decision_free(work->decision);
	if (work->kind == SIM_WORK_FILL)
		sim_memory_put(work->fill.dst.alloc);
	if (work->kind == SIM_WORK_MEMOP)
		sim_memory_put(work->memop.target.alloc);
	if (work->kind != SIM_WORK_COPY)
		return;
	release_copy(&work->copy);
	while ((next = work->copy.next)) {
		work->copy.next = next->next;
		release_copy(next);
		free(next);
	}
}
