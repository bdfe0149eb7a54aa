/* Linking: decoding the functions of a unit, and what addresses lead to. */
#include "simulator/executor/code/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/executor/code/decode.h"

static void decode_all(struct exec_unit *u)
{
	struct exec_kernel *k = u->kernel;

	exec_decode(k, u);
	if (k->why)
		snprintf(u->problem, sizeof(u->problem), "%s", k->why);
	for (size_t i = 0; i < u->callees.count && !u->problem[0]; i++) {
		const struct exec_kernel *callee = u->callees.items[i];

		exec_decode(u->callees.items[i], u);
		k->waits |= callee->waits;
		k->meets |= callee->meets;
		k->notifies |= callee->notifies;
		k->reserves |= callee->reserves;
		if (callee->why)
			snprintf(u->problem, sizeof(u->problem), "%.120s in %.100s", callee->why,
				 callee->ptx->names.items[callee->function->name]);
	}
}

static void index_addresses(struct exec_unit *u)
{
	struct exec_kernel *k = u->kernel;
	size_t count = u->calls_by_address ? u->functions->addressed.count : 0;

	k->by_address = sc_arena_xalloc(&k->arena, count + 1, sizeof(*k->by_address));
	k->address_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct sc_function *f = u->functions->addressed.items[i].function;
		const uint64_t *number = sc_u64_map_find(&u->numbers, (uintptr_t)f);

		k->by_address[i] = number ? u->callees.items[*number - 1] : NULL;
	}
}

void exec_link_kernel(struct exec_kernel *k, struct exec_functions *functions,
		      exec_address_of *address_of, void *context)
{
	struct exec_unit u = {
		.functions = functions, .address_of = address_of, .context = context, .kernel = k};

	k->kernel = k;
	exec_unit_collect(&u);
	exec_unit_place_shared(&u);
	if (!u.problem[0])
		decode_all(&u);
	index_addresses(&u);
	k->functions = u.callees.items;
	k->function_count = u.callees.count;
	if (u.problem[0])
		k->why = sc_arena_xtext(&k->arena, u.problem, strlen(u.problem));
	sc_u64_map_fini(&u.numbers);
	sc_u64_map_fini(&u.shared);
}

static uint64_t rounded(uint64_t bytes, uint64_t align)
{
	return align > 1 && align <= 4096 ? (bytes + align - 1) / align * align : bytes;
}

/* Of variables in a space, one after the other. */
static uint64_t bytes_of(const struct sc_ptx *ptx, uint32_t first, uint32_t count, unsigned space)
{
	uint64_t bytes = 0;

	for (uint32_t i = first; i < first + count; i++) {
		const struct sc_ptx_symbol *s = &ptx->symbols.items[i];

		if (s->space == space && s->bytes <= INT32_MAX && bytes <= INT32_MAX)
			bytes = rounded(bytes, s->align) + s->bytes;
	}
	return bytes;
}

/* Compilers put all that a function has in local memory into one variable. Its frame ends at a
 * multiple of 8, or of 16 where the variable does. */
static uint64_t frame_bytes(const struct exec_kernel *k)
{
	const struct sc_function *f = k->function;
	uint64_t unit = 8;

	for (uint32_t i = f->local_first; i < f->local_first + f->local_count; i++)
		if (k->ptx->symbols.items[i].space == SC_SPACE_LOCAL &&
		    k->ptx->symbols.items[i].align >= 16)
			unit = 16;
	return rounded(bytes_of(k->ptx, f->local_first, f->local_count, SC_SPACE_LOCAL), unit);
}

void exec_link_sizes(struct exec_kernel *k, struct exec_functions *functions,
		     struct exec_sizes *sizes)
{
	struct exec_unit u = {.functions = functions, .kernel = k};
	uint64_t deepest = 0;

	exec_unit_collect(&u);
	exec_unit_place_shared(&u);
	for (size_t i = 0; i < u.callees.count; i++)
		if (frame_bytes(u.callees.items[i]) > deepest)
			deepest = frame_bytes(u.callees.items[i]);
	sizes->shared = k->shared_bytes;
	sizes->local = (uint32_t)(frame_bytes(k) + deepest);
	sizes->constant = (uint32_t)bytes_of(k->ptx, 0, k->ptx->symbol_count, SC_SPACE_CONST);
	k->functions = u.callees.items;
	k->function_count = u.callees.count;
	sc_u64_map_fini(&u.numbers);
	sc_u64_map_fini(&u.shared);
}

void exec_link_free(struct exec_kernel *k)
{
	for (size_t i = 0; i < k->function_count; i++) {
		sc_arena_fini(&k->functions[i]->arena);
		free(k->functions[i]);
	}
	free(k->functions);
	sc_arena_fini(&k->arena);
	free(k);
}
