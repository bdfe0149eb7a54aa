/* Programs: the PTX texts of a module, and its kernels as they were decoded. */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "simulator/executor/decode.h"
#include "simulator/executor/executor.h"
#include "simulator/executor/kernel.h"

struct exec_program {
	exec_address_of *address_of;
	void *context;
	SC_VECTOR(struct sc_ptx *) texts;	 /* owned */
	SC_VECTOR(struct exec_kernel *) kernels; /* owned */
};

struct exec_program *exec_program_new(exec_address_of *address_of, void *context)
{
	struct exec_program *p = calloc(1, sizeof(*p));

	if (p) {
		p->address_of = address_of;
		p->context = context;
	}
	return p;
}

void exec_program_free(struct exec_program *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->kernels.count; i++) {
		sc_arena_fini(&p->kernels.items[i]->arena);
		free(p->kernels.items[i]);
	}
	for (size_t i = 0; i < p->texts.count; i++) {
		sc_ptx_fini(p->texts.items[i]);
		free(p->texts.items[i]);
	}
	sc_vector_fini(&p->kernels);
	sc_vector_fini(&p->texts);
	free(p);
}

void exec_program_add(struct exec_program *p, const char *text, size_t bytes)
{
	struct sc_ptx *m = malloc(sizeof(*m));

	if (!m)
		return;
	sc_ptx_read(m, text, bytes);
	sc_vector_push(&p->texts, m);
}

static const struct sc_function *find_function(const struct exec_program *p, const char *name,
					       const struct sc_ptx **m)
{
	const struct sc_function *f;
	uint32_t id;

	for (size_t i = 0; i < p->texts.count; i++) {
		*m = p->texts.items[i];
		f = sc_ptx_find_name(*m, name, &id) ? sc_ptx_function(*m, id) : NULL;
		if (f && f->is_kernel)
			return f;
	}
	return NULL;
}

static const struct exec_kernel *find_kernel(const struct exec_program *p,
					     const struct sc_function *f)
{
	for (size_t i = 0; i < p->kernels.count; i++)
		if (p->kernels.items[i]->function == f)
			return p->kernels.items[i];
	return NULL;
}

const struct exec_kernel *exec_program_kernel(struct exec_program *p, const char *name,
					      const char **why)
{
	const struct sc_ptx *m = NULL;
	const struct sc_function *f = find_function(p, name, &m);
	const struct exec_kernel *known = f ? find_kernel(p, f) : NULL;
	struct exec_kernel *k;

	*why = "it has no PTX";
	if (f && !known) {
		k = calloc(1, sizeof(*k));
		if (!k) {
			*why = "it needs more memory than there is";
			return NULL;
		}
		k->ptx = m;
		k->function = f;
		exec_decode(k, p->address_of, p->context);
		sc_vector_push(&p->kernels, k);
		known = k;
	}
	if (known)
		*why = known->why;
	return known && !known->why ? known : NULL;
}

bool exec_kernel_waits(const struct exec_kernel *kernel)
{
	return kernel->waits;
}

bool exec_kernel_signals(const struct exec_kernel *kernel)
{
	return kernel->signals;
}

/* The bytes of one element; false: the address of something that lies nowhere. */
static bool value_of(const struct exec_program *p, const struct sc_ptx *m,
		     const struct sc_ptx_initial *i, uint64_t *value)
{
	uint64_t address;

	*value = i->value;
	if (!i->target)
		return 1;
	address = p->address_of ? p->address_of(p->context, m->names.items[i->target - 1]) : 0;
	*value = address + i->value;
	if (i->mask && i->mask != UINT64_MAX)
		*value = (*value & i->mask) >> __builtin_ctzll(i->mask);
	return address != 0;
}

void exec_program_initials(struct exec_program *p, bool addresses_only,
			   void (*set)(void *context, const char *variable, uint64_t offset,
				       const void *bytes, size_t size))
{
	uint64_t value;

	for (size_t t = 0; t < p->texts.count; t++) {
		const struct sc_ptx *m = p->texts.items[t];

		for (size_t k = 0; k < m->initials.count; k++) {
			const struct sc_ptx_initial *i = &m->initials.items[k];

			if ((addresses_only && !i->target) || !value_of(p, m, i, &value))
				continue;
			set(p->context, m->names.items[m->symbols.items[i->symbol].name], i->offset,
			    &value, i->bytes);
		}
	}
}
