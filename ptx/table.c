/* The tables of PTX: types, opcodes, and the names of a module. */
#include "ptx/ptx.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

unsigned sc_type_bits(unsigned type)
{
	static const uint8_t bits[] = {
		0,
#define TYPE(id, text, bits, kind) bits,
#include "ptx/type.def"
#undef TYPE
	};

	sc_assert(type < SC_TYPES);
	return bits[type];
}

enum sc_type_kind sc_type_kind(unsigned type)
{
	static const uint8_t kinds[] = {
		SC_KIND_BITS,
#define TYPE(id, text, bits, kind) SC_KIND_##kind,
#include "ptx/type.def"
#undef TYPE
	};

	sc_assert(type < SC_TYPES);
	return kinds[type];
}

enum sc_ptx_class sc_opcode_class(unsigned opcode)
{
	static const uint8_t classes[] = {
#define OPCODE(id, text, class) SC_PTX_CLASS_##class,
#include "ptx/opcode.def"
#undef OPCODE
	};

	sc_assert(opcode < SC_PTX_OPCODES);
	return classes[opcode];
}

const char *sc_special_text(unsigned special)
{
	static const char *const texts[] = {
#define SPECIAL(id, text, leaf, dimension) text,
#include "ptx/special.def"
#undef SPECIAL
	};

	sc_assert(special < SC_SPECIALS);
	return texts[special];
}

static uint64_t hash_text(const char *text, size_t bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint32_t sc_ptx_name(struct sc_ptx *m, const char *text, size_t bytes)
{
	uint64_t hash = hash_text(text, bytes);
	uint64_t *id = sc_u64_map_get(&m->name_ids, hash);

	while (*id && (strlen(m->names.items[*id - 1]) != bytes ||
		       memcmp(m->names.items[*id - 1], text, bytes)))
		id = sc_u64_map_get(&m->name_ids, ++hash);
	if (!*id) {
		sc_vector_push(&m->names, sc_arena_xtext(&m->arena, text, bytes));
		*id = m->names.count;
	}
	return (uint32_t)(*id - 1);
}

bool sc_ptx_find_name(const struct sc_ptx *m, const char *text, uint32_t *name)
{
	uint64_t hash = hash_text(text, strlen(text));
	const uint64_t *id = sc_u64_map_find(&m->name_ids, hash);

	while (id && strcmp(m->names.items[*id - 1], text))
		id = sc_u64_map_find(&m->name_ids, ++hash);
	if (id)
		*name = (uint32_t)(*id - 1);
	return id != NULL;
}

const struct sc_function *sc_ptx_function(const struct sc_ptx *m, uint32_t name)
{
	const uint64_t *index = sc_u64_map_find(&m->bodies, name);

	return index ? &m->functions.items[*index - 1] : NULL;
}
