/* Frames: registers and local memory of functions that are called. */
#include "simulator/executor/frame.h"

#include <stdlib.h>
#include <string.h>

static uint32_t round_up(uint32_t at, uint32_t align)
{
	return (at + align - 1) / align * align;
}

/* The others are written before they are read. */
static void clear_registers(unsigned char *registers, const struct exec_kernel *k)
{
	for (unsigned at = 0; at < EXEC_SINK_BYTES; at += 64)
		memset(registers + at, 0, 64);
	for (unsigned i = 0; i < EXEC_CLASSES; i++)
		if (k->zeroed[i].bytes)
			memset(registers + k->zeroed[i].offset, 0, k->zeroed[i].bytes);
}

void exec_frame_start(struct exec_warp *w, unsigned char *registers, unsigned char *local)
{
	struct exec_stack *s = &w->stack;
	const struct exec_kernel *k = w->run->kernel;

	if (s->frames || s->spare || s->local != s->first)
		exec_frame_fini(w);
	s->root =
		(struct exec_frame){.code = k, .registers = registers, .local_end = k->local_bytes};
	s->first = s->local = local;
	s->local_stride = exec_frame_stride(k);
	clear_registers(registers, k);
	if (s->local_stride)
		memset(local, 0, (size_t)s->local_stride * EXEC_LANES);
}

static void free_list(struct exec_frame *f)
{
	struct exec_frame *older;

	for (; f; f = older) {
		older = f->older;
		free(f->registers);
		free(f);
	}
}

void exec_frame_fini(struct exec_warp *w)
{
	struct exec_stack *s = &w->stack;

	free_list(s->frames);
	free_list(s->spare);
	if (s->local != s->first)
		free(s->local);
	*s = (struct exec_stack){0};
}

/* Makes the threads' local memory larger, up to what a device has. */
static bool reserve(struct exec_stack *s, uint64_t bytes)
{
	uint32_t stride = s->local_stride ? s->local_stride : 256;
	unsigned char *grown;

	if (bytes <= s->local_stride)
		return 1;
	if (bytes > EXEC_LOCAL_MOST)
		return 0;
	while (stride < bytes)
		stride *= 2;
	grown = calloc(EXEC_LANES, stride);
	if (!grown)
		return 0;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		memcpy(grown + (size_t)i * stride, s->local + (size_t)i * s->local_stride,
		       s->local_stride);
	if (s->local != s->first)
		free(s->local);
	s->local = grown;
	s->local_stride = stride;
	return 1;
}

/* A spare frame with room for so many bytes of registers, or a new one. */
static struct exec_frame *take(struct exec_stack *s, size_t bytes)
{
	struct exec_frame *f = s->spare;

	if (f)
		s->spare = f->older;
	else if (!(f = calloc(1, sizeof(*f))))
		return NULL;
	if (f->capacity >= bytes)
		return f;
	s->frame_bytes -= f->capacity;
	free(f->registers);
	f->capacity = 0;
	f->registers = s->frame_bytes + bytes <= EXEC_FRAMES_MOST
			       ? aligned_alloc(64, (bytes + 63) / 64 * 64)
			       : NULL;
	if (!f->registers) {
		free(f);
		return NULL;
	}
	memset(f->registers, 0, bytes);
	f->capacity = bytes;
	s->frame_bytes += bytes;
	return f;
}

/* The same number for all lanes, of 4 or 8 bytes. */
static void fill(unsigned char *lanes, uint64_t value, unsigned bytes)
{
	uint64_t *wide = (uint64_t *)lanes;
	uint32_t *narrow = (uint32_t *)lanes;

	for (unsigned i = 0; bytes == 8 && i < EXEC_LANES; i++)
		wide[i] = value;
	for (unsigned i = 0; bytes == 4 && i < EXEC_LANES; i++)
		narrow[i] = (uint32_t)value;
}

static void set_registers(struct exec_frame *f)
{
	const struct exec_kernel *k = f->code;

	clear_registers(f->registers, k);
	for (size_t i = 0; i < k->frame_register_count; i++) {
		const struct exec_frame_register *r = &k->frame_registers[i];
		unsigned char *lanes = f->registers + (r->slot & ~UINT32_C(3));

		fill(lanes, (uint64_t)f->local_base + r->offset, r->width);
	}
}

/* In whole words, for which frames have room; most frames have few. */
static void clear_local(const struct exec_warp *w, uint32_t from, uint32_t bytes)
{
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		unsigned char *at = w->stack.local + (size_t)i * w->stack.local_stride + from;

		for (uint32_t k = 0; (w->active >> i & 1) && k < bytes; k += 8)
			memset(at + k, 0, 8);
	}
}

struct exec_frame *exec_frame_new(struct exec_warp *w, const struct exec_kernel *function)
{
	struct exec_stack *s = &w->stack;
	uint32_t base = round_up(w->frame->local_end, EXEC_FRAME_ALIGN);
	struct exec_frame *f;

	if (!reserve(s, (uint64_t)base + exec_frame_stride(function)))
		return NULL;
	f = take(s, function->register_bytes);
	if (!f)
		return NULL;
	f->code = function;
	f->caller = w->frame;
	f->arrived = 0;
	f->local_base = base;
	f->local_end = base + function->local_bytes;
	f->older = s->frames;
	s->frames = f;
	set_registers(f);
	clear_local(w, base, function->local_bytes);
	return f;
}

void exec_frame_free(struct exec_warp *w, struct exec_frame *frame)
{
	struct exec_frame **link = &w->stack.frames;

	while (*link != frame)
		link = &(*link)->older;
	*link = frame->older;
	frame->older = w->stack.spare;
	w->stack.spare = frame;
}

bool exec_frame_extend(struct exec_warp *w, uint32_t bytes, uint32_t align, uint32_t *offset)
{
	*offset = round_up(w->frame->local_end, align);
	if (bytes > EXEC_LOCAL_MOST)
		return 0;
	bytes = round_up(bytes, 8);
	if (!reserve(&w->stack, (uint64_t)*offset + bytes))
		return 0;
	w->frame->local_end = *offset + bytes;
	clear_local(w, *offset, bytes);
	return 1;
}

unsigned char *exec_frame_place(const struct exec_warp *w, const struct exec_frame *frame,
				unsigned lane, const struct exec_variable *variable)
{
	return w->stack.local + (size_t)lane * w->stack.local_stride + frame->local_base +
	       variable->offset;
}

uint64_t exec_frame_argument(const struct exec_warp *w, const struct exec_call *call,
			     uint32_t index, unsigned lane)
{
	const struct exec_variable *v = &call->actuals[index];
	uint64_t value = 0;

	memcpy(&value, exec_frame_place(w, w->frame, lane, v),
	       v->bytes < sizeof(value) ? v->bytes : sizeof(value));
	return value;
}

void exec_frame_set_result(struct exec_warp *w, const struct exec_call *call, unsigned lane,
			   uint64_t value)
{
	const struct exec_variable *v = &call->result;

	memcpy(exec_frame_place(w, w->frame, lane, v), &value,
	       v->bytes < sizeof(value) ? v->bytes : sizeof(value));
}
