/* Options: fields at their places, if a bit says that they are in use. */
#include "extensions/agents/ucx/options.h"

#include <stddef.h>
#include <string.h>

struct field {
	uint64_t mask;
	uint16_t offset, bytes;
};

static const struct field fields[] = {
#define UCX_OPTION(name, member, bit, offset, bytes) {UINT64_C(1) << (bit), offset, bytes},
#include "extensions/agents/ucx/options.def"
};

static const struct field handler_fields[] = {
#define UCX_HANDLER_OPTION(name, member, bit, offset, bytes) {UINT64_C(1) << (bit), offset, bytes},
#include "extensions/agents/ucx/options.def"
};

/* From here on the bits of an operation's mask are flags without a field. */
#define FIRST_FLAG 16

/* An operation's mask has 32 bits, a handler's has 64. */
static uint64_t mask_of(const void *options, bool is_handler)
{
	uint64_t wide = 0;
	uint32_t narrow;

	if (!options)
		return 0;
	if (is_handler) {
		memcpy(&wide, options, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, options, sizeof(narrow));
	return narrow;
}

static uint64_t read_field(const struct field *f, const void *options)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)options + f->offset, f->bytes);
	return value;
}

static void copy_fields(void *to, const void *from, uint64_t mask, const struct field *f,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (mask & f[i].mask)
			memcpy((char *)to + f[i].offset, (const char *)from + f[i].offset,
			       f[i].bytes);
}

uint64_t sc_ucx_option(const void *options, enum sc_ucx_option which, uint64_t otherwise)
{
	const struct field *f = &fields[which];

	return mask_of(options, false) & f->mask ? read_field(f, options) : otherwise;
}

bool sc_ucx_options_copy(struct sc_ucx_options *to, const void *from)
{
	uint64_t mask = mask_of(from, false);
	uint32_t narrow = (uint32_t)mask;

	_Static_assert(sizeof(*to) == 72, "the last field ends there");
	memset(to, 0, sizeof(*to));
	memcpy(to, &narrow, sizeof(narrow));
	copy_fields(to, from, mask, fields, SC_UCX_OPTIONS);
	return !(mask & ((UINT64_C(1) << FIRST_FLAG) - 1) & ~((UINT64_C(1) << SC_UCX_OPTIONS) - 1));
}

void sc_ucx_options_set(struct sc_ucx_options *o, enum sc_ucx_option which, uint64_t value)
{
	uint32_t mask = (uint32_t)(mask_of(o, false) | fields[which].mask);

	memcpy(o, &mask, sizeof(mask));
	memcpy((char *)o + fields[which].offset, &value, sizeof(value));
}

uint64_t sc_ucx_handler_option(const void *options, enum sc_ucx_handler_option which)
{
	const struct field *f = &handler_fields[which];

	return mask_of(options, true) & f->mask ? read_field(f, options) : 0;
}

bool sc_ucx_handler_options_copy(struct sc_ucx_handler_options *to, const void *from)
{
	uint64_t mask = mask_of(from, true);

	_Static_assert(sizeof(*to) == 32, "the last field ends there");
	memset(to, 0, sizeof(*to));
	to->word[0] = mask;
	copy_fields(to, from, mask, handler_fields, SC_UCX_HANDLER_OPTIONS);
	return !(mask & ~((UINT64_C(1) << SC_UCX_HANDLER_OPTIONS) - 1));
}

void sc_ucx_handler_options_set(struct sc_ucx_handler_options *o, enum sc_ucx_handler_option which,
				uint64_t value)
{
	o->word[0] |= handler_fields[which].mask;
	memcpy((char *)o + handler_fields[which].offset, &value, sizeof(value));
}
