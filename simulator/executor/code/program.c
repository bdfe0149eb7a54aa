/* Programs: the PTX texts of a module, and its kernels as they were decoded. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "simulator/executor/executor.h"
#include "simulator/executor/code/link.h"

struct exec_program {
	exec_address_of *address_of;
	void *context;
	struct exec_functions functions;
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
	for (size_t i = 0; i < p->kernels.count; i++)
		exec_link_free(p->kernels.items[i]);
	sc_vector_fini(&p->kernels);
	exec_functions_fini(&p->functions);
	free(p);
}

void exec_program_add(struct exec_program *p, const char *text, size_t bytes)
{
	struct sc_ptx *m = malloc(sizeof(*m));

	if (!m)
		return;
	sc_ptx_read(m, text, bytes);
	sc_vector_push(&p->functions.texts, m);
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
	struct exec_function f;
	bool is_there = exec_functions_find(&p->functions, NULL, name, 1, &f);
	const struct exec_kernel *known = is_there ? find_kernel(p, f.function) : NULL;
	struct exec_kernel *k;

	*why = EXEC_NO_PTX;
	if (is_there && !known) {
		k = calloc(1, sizeof(*k));
		if (!k) {
			*why = "it needs more memory than there is";
			return NULL;
		}
		k->ptx = f.ptx;
		k->function = f.function;
		exec_link_kernel(k, &p->functions, p->address_of, p->context);
		sc_vector_push(&p->kernels, k);
		known = k;
	}
	if (known)
		*why = known->why;
	return known && !known->why ? known : NULL;
}

bool exec_program_sizes(struct exec_program *p, const char *name, struct exec_sizes *sizes)
{
	struct exec_kernel *k = calloc(1, sizeof(*k));
	struct exec_function f;

	if (!k || !exec_functions_find(&p->functions, NULL, name, 1, &f)) {
		free(k);
		return 0;
	}
	k->ptx = f.ptx;
	k->function = f.function;
	k->kernel = k;
	exec_link_sizes(k, &p->functions, sizes);
	exec_link_free(k);
	return 1;
}

void exec_kernel_block(const struct exec_kernel *kernel, uint32_t block[3])
{
	sc_ptx_block(kernel->ptx, kernel->function, block);
}

size_t exec_kernel_param(const struct exec_kernel *kernel, size_t index)
{
	const struct sc_function *f = kernel->function;

	return index < f->param_count ? kernel->ptx->symbols.items[f->param_first + index].offset
				      : SIZE_MAX;
}

uint64_t exec_kernel_count(const struct exec_kernel *kernel)
{
	_Atomic uint64_t *launches = (_Atomic uint64_t *)&kernel->launches;

	return atomic_fetch_add_explicit(launches, 1, memory_order_relaxed);
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
static bool value_of(struct exec_program *p, const struct sc_ptx *m, const struct sc_ptx_initial *i,
		     uint64_t *value)
{
	const char *name;
	uint64_t address;

	*value = i->value;
	if (!i->target)
		return 1;
	name = m->names.items[i->target - 1];
	address = p->address_of ? p->address_of(p->context, name) : 0;
	if (!address)
		address = exec_functions_address(&p->functions, m, name);
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

	for (size_t t = 0; t < p->functions.texts.count; t++) {
		const struct sc_ptx *m = p->functions.texts.items[t];

		for (size_t k = 0; k < m->initials.count; k++) {
			const struct sc_ptx_initial *i = &m->initials.items[k];

			if ((addresses_only && !i->target) || !value_of(p, m, i, &value))
				continue;
			set(p->context, m->names.items[m->symbols.items[i->symbol].name], i->offset,
			    &value, i->bytes);
		}
	}
}
