/* Launches: how surely a kernel uses single parameters, which pointers and handles are. */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/launch.h"
#include "base/assert.h"

/* The bytes of the parameter in which byte `offset` lies; 0: not known. */
static uint32_t bytes_of_parameter(struct sc_kernels *kernels, const struct sc_record *record,
				   uint32_t offset)
{
	const struct sc_code_kernel *k = sc_code_kernel(&kernels->code, record->op.object);

	for (uint32_t i = 0; k && k->params && i < k->param_count; i++) {
		const struct sc_param *p = &k->params[i];

		if (p->offset <= offset && offset - p->offset < p->bytes)
			return p->bytes;
	}
	return 0;
}

bool sc_launch_is_member(struct sc_kernels *kernels, const struct sc_record *record,
			 uint32_t offset)
{
	return bytes_of_parameter(kernels, record, offset) > sizeof(uint64_t);
}

bool sc_launch_has_code(struct sc_kernels *kernels, const struct sc_record *record)
{
	const struct sc_code_kernel *k = sc_code_kernel(&kernels->code, record->op.object);

	return k && k->code && !kernels->ignores_code;
}

/* Whether the pointer at that byte of the parameters is the range's base. */
static bool is_of_pointer(const struct sc_footprint_range *r, uint32_t offset)
{
	return r->base_kind == SC_BASE_PARAMETER && r->base == offset &&
	       !(r->mode & SC_FOOTPRINT_OBJECT);
}

/* Whether an access by an address that is not known may be one by that pointer. */
static bool may_be_of_pointer(const struct sc_launch_code *l, const struct sc_footprint_range *r,
			      uint32_t offset)
{
	return r->base_kind == SC_BASE_UNKNOWN && sc_footprint_may_follow(l->kernel->code, offset);
}

int sc_launch_parameter(struct sc_kernels *kernels, const struct sc_record *record, uint32_t offset)
{
	struct sc_launch_code l;
	int known = -1;

	if (!sc_launch_read_code(kernels, record, &l))
		return SC_KNOWN_PARAMETER;
	for (size_t i = 0; i < l.footprint.count; i++) {
		const struct sc_footprint_range *r = &l.footprint.ranges[i];

		if (known < 0 && may_be_of_pointer(&l, r, offset))
			known = SC_KNOWN_OVER;
		if (!is_of_pointer(r, offset))
			continue;
		if (l.kernel->is_sure && r->reason == SC_REASON_NONE)
			return SC_KNOWN_EXACT;
		known = SC_KNOWN_OVER;
	}
	return known;
}

/* Exactly these bytes, from a parameter that is a pointer for certain. */
static bool is_certain(const struct sc_launch_code *l, const struct sc_footprint_range *r)
{
	return l->kernel->is_sure && r->base_kind == SC_BASE_PARAMETER && !r->may_be_offset &&
	       !r->is_unbounded && r->reason == SC_REASON_NONE;
}

enum sc_use_of_dead sc_launch_uses_dead(struct sc_kernels *kernels, const struct sc_record *record,
					uint32_t offset, const struct sc_gone *gone,
					struct sc_access *use)
{
	const struct sc_range *dead = &gone->was;
	struct sc_launch_code l;
	bool is_open = 0, is_sure = 0;
	uint64_t pointer;

	sc_assert(gone->was.start < gone->was.end);
	kernels->open = SC_REASON_NONE;
	kernels->hides = 0;
	if (!sc_launch_read_code(kernels, record, &l) || offset + sizeof(pointer) > l.param_bytes)
		return SC_USE_MAYBE;
	memcpy(&pointer, l.params + offset, sizeof(pointer));
	for (size_t i = 0; i < l.footprint.count; i++) {
		const struct sc_footprint_range *r = &l.footprint.ranges[i];
		uint64_t first = pointer + (uint64_t)r->offset;

		is_open |= may_be_of_pointer(&l, r, offset) || r->mode & SC_FOOTPRINT_OBJECT;
		kernels->hides |= sc_launch_hides(r);
		if (r->base_kind == SC_BASE_UNKNOWN && !kernels->open)
			kernels->open = r->reason ? r->reason : SC_REASON_POINTER;
		if (!is_of_pointer(r, offset))
			continue;
		is_open |= !is_certain(&l, r);
		if (!is_certain(&l, r) || !r->width || first < dead->start || first >= dead->end)
			continue;
		*use = sc_shape_linear(first,
				       r->width < dead->end - first ? r->width : dead->end - first,
				       r->mode & SC_READ_WRITE, SC_KNOWN_EXACT);
		use->how = SC_HOW_PTX;
		is_sure = 1;
		if (!sc_gone_is_replaced(gone, use))
			break;
	}
	if (is_sure)
		return SC_USE_SURE;
	return is_open ? SC_USE_MAYBE : SC_USE_NONE;
}

bool sc_launch_is_in_table(struct sc_kernels *kernels, const struct sc_record *record,
			   uint32_t offset)
{
	return bytes_of_parameter(kernels, record, offset) > SC_LARGEST_STRUCT &&
	       sc_launch_parameter(kernels, record, offset) == SC_KNOWN_PARAMETER;
}

/* ---- handles of textures and surfaces ---- */

static void push_handle(const struct sc_handle_use *use, sc_handle_uses *out)
{
	for (size_t i = 0; i < out->count; i++) {
		struct sc_handle_use *old = &out->items[i];

		if (old->handle != use->handle || old->is_surface != use->is_surface)
			continue;
		if (use->known == SC_KNOWN_EXACT)
			old->known = SC_KNOWN_EXACT;
		return;
	}
	sc_vector_push(out, *use);
}

static uint64_t word_at(const struct sc_launch_code *l, uint32_t offset)
{
	uint64_t word = 0;

	if (offset <= l->param_bytes && l->param_bytes - offset >= sizeof(word))
		memcpy(&word, l->params + offset, sizeof(word));
	return word;
}

static void add_words(const struct sc_launch_code *l, uint32_t from, uint32_t end,
		      sc_handle_uses *out)
{
	for (uint32_t at = (from + 7) & ~UINT32_C(7); at < end && end - at >= 8; at += 8) {
		struct sc_handle_use use = {.handle = word_at(l, at), .known = SC_KNOWN_PARAMETER};

		if (!use.handle)
			continue;
		push_handle(&use, out);
		use.is_surface = 1;
		push_handle(&use, out);
	}
}

/* All numbers that may be handles, of a kernel of whose code nothing is known. */
static void add_numbers(const struct sc_launch_code *l, sc_handle_uses *out)
{
	const struct sc_code_kernel *k = l->kernel;

	if (!k || !k->params)
		add_words(l, 0, l->param_bytes, out);
	for (uint32_t i = 0; k && k->params && i < k->param_count; i++)
		if (k->params[i].bytes <= SC_LARGEST_STRUCT)
			add_words(l, k->params[i].offset, k->params[i].offset + k->params[i].bytes,
				  out);
}

void sc_launch_handles(struct sc_kernels *kernels, const struct sc_record *record,
		       sc_handle_uses *out)
{
	struct sc_launch_code l;

	sc_assert(record->op.kind == SC_OP_KERNEL);
	sc_vector_clear(out);
	if (!sc_launch_read_code(kernels, record, &l)) {
		if (!sc_kernels_declared(kernels, record->op.object, l.kernel))
			add_numbers(&l, out);
		return;
	}
	for (size_t i = 0; i < l.footprint.count; i++) {
		const struct sc_footprint_range *r = &l.footprint.ranges[i];
		struct sc_handle_use use = {.is_surface = r->mode & SC_FOOTPRINT_SURFACE,
					    .known = SC_KNOWN_OVER};

		if (!(r->mode & SC_FOOTPRINT_OBJECT))
			continue;
		if (sc_footprint_is_handle(r))
			use.handle = word_at(&l, r->base);
		if (use.handle && l.kernel->is_sure && r->reason == SC_REASON_NONE)
			use.known = SC_KNOWN_EXACT;
		push_handle(&use, out);
	}
}
