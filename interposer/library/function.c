/* Functions that are found by their names: the real ones, and what is known of them. */
#include "interposer/library/function.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include "interposer/core/code_range.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/real.h"
#include "interposer/core/scratch.h"
#include "interposer/core/slab.h"
#include "interposer/core/thread.h"
#include "extensions/agents/agent.h"
#include "base/assert.h"

struct sc_core_functions sc_core_functions;

static const struct {
#define ROW(id) SC_NAME_MEMBER(id, #id)
#include "interposer/library/row.def"
} names = {
#define ROW(id) SC_NAME(id, #id)
#include "interposer/library/row.def"
};

const struct sc_functions sc_core_table = {SC_FUNCTIONS(sc_core_functions, names)};

/* ---- names ---- */

static const uint8_t *after(const uint8_t *name)
{
	return name + 1 + name[0] + 1;
}

static const char *nth(const uint8_t *name, size_t number)
{
	while (number--)
		name = after(name);
	return (const char *)name + 1;
}

static bool has(const struct sc_functions *t, const struct sc_library_function *f)
{
	return (uintptr_t)f - (uintptr_t)t->list < t->count * sizeof(*f);
}

static const struct sc_functions *table_of(const struct sc_library_function *f)
{
	const struct sc_functions *t = &sc_core_table;

	for (unsigned i = 0; t && !has(t, f); i++)
		t = sc_agent_table(i);
	sc_assert(t);
	return t;
}

const char *sc_function_name(const struct sc_library_function *f)
{
	const struct sc_functions *t = table_of(f);

	return nth(t->names, (size_t)(f - t->list));
}

static const char *plain_name(const struct sc_library_function *f)
{
	const struct sc_functions *t = table_of(f);

	return nth(t->plain ? t->plain : t->names, (size_t)(f - t->list));
}

struct sc_library_function *sc_functions_find(const struct sc_functions *t, const char *name)
{
	size_t length = strlen(name);
	const uint8_t *at = t->names;

	for (unsigned i = 0; i < t->count; i++, at = after(at))
		if (at[0] == length && !memcmp(at + 1, name, length))
			return &t->list[i];
	return NULL;
}

const struct sc_wrapper *sc_wrappers_find(const struct sc_wrappers *w,
					  const struct sc_library_function *f)
{
	for (unsigned i = 0; i < w->count; i++)
		if (w->list[i].number == f - w->of->list)
			return &w->list[i];
	return NULL;
}

/* ---- the real functions ---- */

/* A function that was found, for calls from one part of an object, or from all. Its library stays
 * loaded. */
struct sc_found_function {
	uint64_t start, bytes; /* of the callers' code */
	void *real;
	struct sc_found_function *older;
};

static void *look_up_known(struct sc_library_function *function, uint64_t caller)
{
	/* acquire: pairs with the release in `keep` */
	const struct sc_found_function *f =
		atomic_load_explicit(&function->known, memory_order_acquire);

	for (; f; f = f->older)
		if (caller - f->start < f->bytes)
			return f->real;
	return NULL;
}

/* The part of a loaded object that an address lies in. */
struct part {
	uint64_t address, start, bytes;
};

static int find_part(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct part *part = data;

	(void)bytes;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD ||
		    part->address - start >= info->dlpi_phdr[i].p_memsz)
			continue;
		part->start = start;
		part->bytes = info->dlpi_phdr[i].p_memsz;
		return 1;
	}
	return 0;
}

/* A pointer that is kept must stay good, so the library that it leads to is never unloaded. Before
 * a session too: a program may use OpenMP, and CUDA much later or never. */
static void keep(struct sc_library_function *function, const struct part *part, void *real)
{
	struct sc_found_function *f = part->bytes ? sc_slab_get(SC_SLAB_FOUND, sizeof(*f)) : NULL;
	Dl_info info;

	if (!f)
		return;
	if (!dladdr(real, &info) || !info.dli_fname ||
	    !SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY)) {
		sc_slab_put(SC_SLAB_FOUND, f);
		return;
	}
	*f = (struct sc_found_function){.start = part->start, .bytes = part->bytes, .real = real};
	f->older = atomic_load_explicit(&function->known, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&function->known, &f->older, f,
						      memory_order_release, memory_order_relaxed))
		;
}

/* What the caller was linked with: it may have a version of its own beside another program's. Our
 * own code is no caller: a function of the library that we called jumps to another one of it as the
 * last thing that it does, and leaves our return address there. */
void *sc_function_of_caller(const char *name, const void *caller)
{
	Dl_info info;
	void *found, *handle = NULL;

	if (dladdr(caller, &info) && info.dli_fname &&
	    sc_code_range_classify(info.dli_fname) != SC_CODE_OWN)
		handle = SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	if (!handle)
		return NULL;
	found = sc_real_dlsym()(handle, name);
	dlclose(handle); /* it was loaded before, and stays so */
	return found;
}

/* Names of loaded files, one after the other. */
struct file_names {
	char *room;
	size_t used;
};

static int add_file_name(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct file_names *files = data;
	size_t length = info->dlpi_name ? strlen(info->dlpi_name) + 1 : 0;

	(void)bytes;
	if (length < 2 || sc_code_range_classify(info->dlpi_name) != SC_CODE_LIBRARY ||
	    files->used + length > SC_SCRATCH_BYTES)
		return 0;
	memcpy(files->room + files->used, info->dlpi_name, length);
	files->used += length;
	return 0;
}

/* What any of NVIDIA's libraries has under this name. */
static void *find_in_libraries(const char *name)
{
	struct file_names files = {.room = (char *)sc_thread_scratch()};
	void *found = NULL;

	if (files.room)
		dl_iterate_phdr(add_file_name, &files);
	for (size_t at = 0; at < files.used && !found; at += strlen(files.room + at) + 1) {
		void *handle = SC_REAL(dlopen)(files.room + at, RTLD_NOLOAD | RTLD_LAZY);

		if (!handle)
			continue;
		found = sc_real_dlsym()(handle, name);
		dlclose(handle);
	}
	return found;
}

static bool is_librarys_own(const Dl_info *info)
{
	return info->dli_fname && sc_code_range_classify(info->dli_fname) == SC_CODE_LIBRARY;
}

/* The function that the loader finds after ours is for all callers if it is another tool's, before
 * the library; of two versions of a library the function is the caller's. `part`: the callers that
 * this is true of. */
static void *find(const char *name, const void *caller, struct part *part)
{
	void *behind_us = sc_real_dlsym()(RTLD_NEXT, name), *callers;
	Dl_info info;

	*part = (struct part){.bytes = UINT64_MAX};
	if (behind_us && dladdr(behind_us, &info) && !is_librarys_own(&info))
		return behind_us;
	*part = (struct part){.address = (uint64_t)caller};
	dl_iterate_phdr(find_part, part);
	callers = sc_function_of_caller(name, caller);
	if (!callers)
		callers = behind_us;
	return callers ? callers : find_in_libraries(name);
}

void *sc_function_find(struct sc_library_function *function, const void *caller)
{
	void *real = look_up_known(function, (uint64_t)caller);
	int saved = errno;
	struct part part;

	if (real)
		return real;
	sc_self.busy++;
	real = find(sc_function_name(function), caller, &part);
	if (real)
		keep(function, &part, real);
	sc_self.busy--;
	errno = saved;
	return real;
}

/* ---- what is known of them ---- */

static bool find_beside(void *real, const char *const name[SC_BESIDE], void *out[SC_BESIDE])
{
	Dl_info info;
	void *library = dladdr(real, &info) && info.dli_fname
				? SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
				: NULL;
	bool is_whole = library;

	for (unsigned i = 0; i < SC_BESIDE && library && name[i]; i++) {
		out[i] = sc_real_dlsym()(library, name[i]);
		is_whole &= out[i] != NULL;
	}
	if (library)
		dlclose(library); /* it was loaded before, and stays so */
	return is_whole;
}

/* Where a name is missing, there is no `real`. Two threads may both ask; one answer is kept. */
static struct sc_beside *ask_beside(struct sc_library_function *f, void *real,
				    const char *const name[SC_BESIDE])
{
	struct sc_beside *b = sc_slab_get(SC_SLAB_BESIDE, sizeof(*b)), *first = NULL;
	int saved = errno;

	if (!b)
		return NULL;
	sc_self.busy++;
	b->real = find_beside(real, name, b->function) ? real : NULL;
	sc_self.busy--;
	errno = saved;
	if (atomic_compare_exchange_strong_explicit(&f->beside, &first, b, memory_order_acq_rel,
						    memory_order_acquire))
		return b;
	sc_slab_put(SC_SLAB_BESIDE, b);
	return first;
}

const struct sc_beside *sc_function_beside(struct sc_library_function *f, void *real,
					   const char *const name[SC_BESIDE])
{
	/* acquire: pairs with the release in ask_beside */
	const struct sc_beside *b = atomic_load_explicit(&f->beside, memory_order_acquire);

	if (!b)
		b = ask_beside(f, real, name);
	return b && b->real == real ? b : NULL;
}

/* Of this process: strings of its parents are in other traces. */
static uint32_t generation;

uint32_t sc_function_string(struct sc_library_function *f)
{
	/* acquire: pairs with the release below */
	uint64_t known = atomic_load_explicit(&f->string, memory_order_acquire);
	uint32_t id = (uint32_t)known;

	if (id && known >> 32 == generation)
		return id;
	id = sc_put_string(plain_name(f));
	atomic_store_explicit(&f->string, (uint64_t)generation << 32 | id, memory_order_release);
	return id;
}

bool sc_function_bind(struct sc_library_function *f, void *real)
{
	void *bound = NULL;

	return atomic_compare_exchange_strong(&f->looked_up, &bound, real) || bound == real;
}

/* The program keeps pointers to the functions that serve it: a child forgets none of these. */
static void forget(void)
{
	generation++;
}

const struct sc_module sc_module_function = {.forget = forget};
