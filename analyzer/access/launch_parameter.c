/* Launches: how surely a kernel uses single parameters, which pointers and handles are. */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/launch.h"

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

int sc_launch_parameter(struct sc_kernels *kernels, const struct sc_record *record, uint32_t offset)
{
	struct sc_launch_code l;
	int known = -1;

	if (!sc_launch_read_code(kernels, record, &l))
		return SC_KNOWN_PARAMETER;
	for (size_t i = 0; i < l.footprint.count; i++) {
		const struct sc_footprint_range *r = &l.footprint.ranges[i];

		if (r->base_kind == SC_BASE_UNKNOWN && known < 0)
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

	kernels->open = SC_REASON_NONE;
	kernels->hides = 0;
	if (!sc_launch_read_code(kernels, record, &l) || offset + sizeof(pointer) > l.param_bytes)
		return SC_USE_MAYBE;
	memcpy(&pointer, l.params + offset, sizeof(pointer));
	for (size_t i = 0; i < l.footprint.count; i++) {
		const struct sc_footprint_range *r = &l.footprint.ranges[i];
		uint64_t first = pointer + (uint64_t)r->offset;

		is_open |= r->base_kind == SC_BASE_UNKNOWN || r->mode & SC_FOOTPRINT_OBJECT;
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
