/* Scopes of a PTX function: which register, symbol or label does a name mean here? */
#include "ptx/scope.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

void sc_scope_init(struct sc_scope *s)
{
	memset(s, 0, sizeof(*s));
	sc_vector_push(&s->parents, 0);
}

void sc_scope_fini(struct sc_scope *s)
{
	sc_vector_fini(&s->declarations);
	sc_vector_fini(&s->parents);
	sc_u64_map_fini(&s->outer);
	sc_u64_map_fini(&s->names);
	sc_u64_map_fini(&s->registers);
	sc_u64_map_fini(&s->labels);
	sc_u64_map_fini(&s->resolved);
}

void sc_scope_push(struct sc_scope *s)
{
	if (++s->depth > SC_SCOPE_DEPTH)
		return;
	sc_vector_push(&s->parents, s->current);
	s->current = (uint32_t)(s->parents.count - 1);
}

void sc_scope_pop(struct sc_scope *s)
{
	sc_assert(s->depth > 0);
	if (s->depth-- > SC_SCOPE_DEPTH)
		return;
	s->current = s->parents.items[s->current];
}

static void empty(struct sc_u64_map *map)
{
	sc_u64_map_fini(map);
	memset(map, 0, sizeof(*map));
}

void sc_scope_end_function(struct sc_scope *s)
{
	s->current = 0;
	s->depth = 0;
	s->declarations.count = s->outer_count;
	s->parents.count = 1;
	empty(&s->names);
	empty(&s->registers);
	empty(&s->labels);
	empty(&s->resolved);
	s->resolved_most = 0;
}

void sc_scope_declare(struct sc_scope *s, uint32_t name, struct sc_ptx_declaration declaration)
{
	sc_vector_push(&s->declarations, declaration);
	sc_assert(s->current < s->parents.count);
	/* The name may have meant that of a scope around this one, until here. */
	if (s->current <= s->resolved_most && s->resolved.count)
		empty(&s->resolved);
	if (s->current) {
		*sc_u64_map_get(&s->names, pair(s->current, name)) = s->declarations.count;
		return;
	}
	*sc_u64_map_get(&s->outer, name) = s->declarations.count;
	s->outer_count = s->declarations.count;
}

uint32_t sc_scope_label(struct sc_ptx_reader *r, uint32_t name)
{
	uint64_t *label = sc_u64_map_get(&r->scope.labels, pair(r->scope.current, name));

	if (!*label) {
		sc_vector_push(&r->function.labels, 0);
		*label = r->function.labels.count;
	}
	return (uint32_t)(*label - 1);
}

/* In a scope of the function, or one around it; 0: in none. */
static uint32_t find(const struct sc_scope *s, const struct sc_u64_map *map, uint32_t scope,
		     uint32_t name)
{
	for (; scope; scope = s->parents.items[scope]) {
		const uint64_t *found = sc_u64_map_find(map, pair(scope, name));

		if (found)
			return (uint32_t)*found;
	}
	return 0;
}

uint32_t sc_scope_find_label(const struct sc_scope *s, uint32_t scope, uint32_t name)
{
	return find(s, &s->labels, scope, name);
}

/* Number of the declaration + 1, or 0. */
static uint32_t find_name(const struct sc_scope *s, uint32_t name)
{
	uint32_t found = find(s, &s->names, s->current, name);
	const uint64_t *outer = found ? NULL : sc_u64_map_find(&s->outer, name);

	return outer ? (uint32_t)*outer : found;
}

static struct sc_ptx_operand make_register(struct sc_ptx_reader *r, uint32_t declaration,
					   uint32_t index)
{
	uint64_t *id = sc_u64_map_get(&r->scope.registers, pair(declaration, index));

	if (!*id) {
		sc_vector_push(&r->function.registers,
			       r->scope.declarations.items[declaration].type);
		*id = r->function.registers.count;
	}
	return (struct sc_ptx_operand){.kind = SC_OPERAND_REGISTER, .id = (uint32_t)(*id - 1)};
}

/* %r12 of a declaration %r<100>. */
static bool resolve_range(struct sc_ptx_reader *r, const char *text, size_t bytes,
			  struct sc_ptx_operand *out)
{
	size_t prefix = bytes;
	uint64_t index = 0;
	uint32_t found;

	while (prefix && isdigit((unsigned char)text[prefix - 1]))
		prefix--;
	if (prefix == bytes || !prefix || bytes - prefix > 9)
		return 0;
	for (size_t i = prefix; i < bytes; i++)
		index = index * 10 + (unsigned)(text[i] - '0');
	found = find_name(&r->scope, sc_ptx_name(r->module, text, prefix));
	if (!found || index >= r->scope.declarations.items[found - 1].count)
		return 0;
	*out = make_register(r, found - 1, (uint32_t)index);
	return 1;
}

static bool resolve_name(struct sc_ptx_reader *r, uint32_t name, const char *text, size_t bytes,
			 struct sc_ptx_operand *out)
{
	uint32_t found = find_name(&r->scope, name);

	if (!found)
		return resolve_range(r, text, bytes, out);
	if (r->scope.declarations.items[found - 1].is_register)
		*out = make_register(r, found - 1, 0);
	else
		*out = (struct sc_ptx_operand){.kind = SC_OPERAND_SYMBOL,
					       .id = r->scope.declarations.items[found - 1].symbol};
	return 1;
}

/* Most words are registers that were met before. */
static bool resolve_plain(struct sc_ptx_reader *r, const char *text, size_t bytes,
			  struct sc_ptx_operand *out)
{
	struct sc_scope *s = &r->scope;
	uint32_t name = sc_ptx_name(r->module, text, bytes);
	uint64_t *known = sc_u64_map_find(&s->resolved, pair(s->current, name));

	if (known) {
		*out = (struct sc_ptx_operand){.kind = SC_OPERAND_REGISTER,
					       .id = (uint32_t)(*known - 1)};
		return 1;
	}
	if (!resolve_name(r, name, text, bytes, out))
		return 0;
	if (out->kind == SC_OPERAND_REGISTER) {
		*sc_u64_map_get(&s->resolved, pair(s->current, name)) = (uint64_t)out->id + 1;
		s->resolved_most = s->current > s->resolved_most ? s->current : s->resolved_most;
	}
	return 1;
}

static bool resolve_special(const char *text, size_t bytes, struct sc_ptx_operand *out)
{
	for (uint32_t i = 0; i < SC_SPECIALS; i++) {
		const char *special = sc_special_text(i);

		if (*special != *text || strncmp(special, text, bytes) || special[bytes])
			continue;
		*out = (struct sc_ptx_operand){.kind = SC_OPERAND_SPECIAL, .id = i};
		return 1;
	}
	return 0;
}

static uint8_t component(const char *text, size_t bytes)
{
	unsigned number = bytes == 2 && text[1] >= '0' ? (unsigned)(text[1] - '0') : 4;

	if (number < 4 && *text == 'b')
		return (uint8_t)(SC_COMPONENT_B0 + number);
	if (number < 2 && *text == 'h')
		return (uint8_t)(SC_COMPONENT_H0 + number);
	return SC_COMPONENT_OTHER;
}

struct sc_ptx_operand sc_scope_resolve(struct sc_ptx_reader *r, const char *text, size_t bytes)
{
	const char *dot = memrchr(text, '.', bytes);
	struct sc_ptx_operand out = {.kind = SC_OPERAND_SINK};

	if (bytes == 1 && *text == '_')
		return out;
	if (resolve_plain(r, text, bytes, &out) || resolve_special(text, bytes, &out))
		return out;
	if (dot && dot > text && resolve_plain(r, text, (size_t)(dot - text), &out)) {
		out.partial = component(dot + 1, bytes - (size_t)(dot + 1 - text));
		return out;
	}
	return (struct sc_ptx_operand){.kind = SC_OPERAND_NAME,
				       .id = sc_ptx_name(r->module, text, bytes),
				       .value = r->scope.current};
}
