/* Handles of NVIDIA's libraries: finding the real functions, and what is written. */
#include "interposer/library/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "interposer/core/code_range.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/slab.h"
#include "interposer/stack/stack.h"
#include "interposer/core/module.h"
#include "interposer/core/real.h"
#include "interposer/core/scratch.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle.h"
#include "extensions/agents/agent.h"

struct sc_libraries sc_libraries;

/* The names one after the other, so that the loader has no address of each to relocate. */
static const struct names {
#define ROW(id, text) char of_##id[sizeof(text)];
#define FIRST(group)
#include "interposer/library/row.def"
} names = {
#define ROW(id, text) text,
#define FIRST(group)
#include "interposer/library/row.def"
};

static const uint32_t places[SC_LIBRARY_ROWS] = {
#define ROW(id, text) offsetof(struct names, of_##id),
#define FIRST(group)
#include "interposer/library/row.def"
};

const char *sc_library_name(enum sc_library_row row)
{
	return (const char *)&names + places[row];
}

/* Of this process: string ids of the names, 0: not written yet. */
static atomic_uint strings[SC_LIBRARY_ROWS];

uint32_t sc_library_string(enum sc_library_row row)
{
	/* acquire: pairs with the release below */
	uint32_t id = atomic_load_explicit(&strings[row], memory_order_acquire);
	const char *plain = id ? NULL : sc_agent_plain_name(row);

	if (id)
		return id;
	id = sc_put_string(plain ? plain : sc_library_name(row));
	atomic_store_explicit(&strings[row], id, memory_order_release);
	return id;
}

/* The end of a name without the numbers of its version. */
static size_t unversioned_length(const char *name)
{
	size_t length = strlen(name);

	while (length &&
	       (name[length - 1] == '_' || (name[length - 1] >= '0' && name[length - 1] <= '9')))
		length--;
	return length;
}

enum sc_library_row sc_library_row(const char *name)
{
	bool is_version = !strncmp(name, "__nv", 4);
	size_t length = is_version ? unversioned_length(name) - 2 : strlen(name);
	unsigned row = 0;

	name += is_version ? 2 : 0;
	while (row < SC_LIBRARY_ROWS &&
	       (strncmp(sc_library_name(row), name, length) != 0 || sc_library_name(row)[length]))
		row++;
	return row;
}

/* ---- the real functions ---- */

/* A function that was found, for calls from one part of an object, or from all. Its library stays
 * loaded. */
struct sc_found_function {
	uint64_t start, bytes; /* of the callers' code */
	void *real;
	struct sc_found_function *older;
};

static void *look_up_known(enum sc_library_row row, uint64_t caller)
{
	/* acquire: pairs with the release in `keep` */
	const struct sc_found_function *f =
		atomic_load_explicit(&sc_libraries.known[row], memory_order_acquire);

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
static void keep(enum sc_library_row row, const struct part *part, void *real)
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
	f->older = atomic_load_explicit(&sc_libraries.known[row], memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&sc_libraries.known[row], &f->older, f,
						      memory_order_release, memory_order_relaxed))
		;
}

/* What the caller was linked with: it may have a version of its own beside another program's. Our
 * own code is no caller: a function of the library that we called jumps to another one of it as the
 * last thing that it does, and leaves our return address there. */
void *sc_library_of_caller(const char *name, const void *caller)
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
	callers = sc_library_of_caller(name, caller);
	if (!callers)
		callers = behind_us;
	return callers ? callers : find_in_libraries(name);
}

void *sc_library_find(enum sc_library_row row, const void *caller)
{
	void *real = look_up_known(row, (uint64_t)caller);
	int saved = errno;
	struct part part;

	if (real)
		return real;
	sc_self.busy++;
	real = find(sc_library_name(row), caller, &part);
	if (real)
		keep(row, &part, real);
	sc_self.busy--;
	errno = saved;
	return real;
}

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

const struct sc_beside *sc_library_beside(enum sc_library_row row, void *real,
					  const char *const name[SC_BESIDE])
{
	static struct sc_beside beside[SC_LIBRARY_ROWS];
	struct sc_beside *b = &beside[row];
	void *first = NULL;
	int saved = errno;

	if (!atomic_load_explicit(&b->real, memory_order_relaxed) &&
	    atomic_compare_exchange_strong(&b->real, &first, real)) {
		sc_self.busy++;
		/* release: pairs with the acquire below */
		atomic_store_explicit(&b->is_whole, find_beside(real, name, b->function),
				      memory_order_release);
		sc_self.busy--;
		errno = saved;
	}
	return atomic_load_explicit(&b->is_whole, memory_order_acquire) &&
			       atomic_load_explicit(&b->real, memory_order_relaxed) == real
		       ? b
		       : NULL;
}

bool sc_library_bind(enum sc_library_row row, void *real)
{
	void *bound = NULL;

	if (atomic_compare_exchange_strong(&sc_libraries.looked_up[row], &bound, real) ||
	    bound == real)
		return 1;
	if (row < SC_LIBRARY_FIRST_COMPILER)
		atomic_fetch_add(&sc_libraries.others, 1);
	return 0;
}

/* ---- what is written ---- */

static void write_counts(void)
{
	if (atomic_load(&sc_libraries.others))
		sc_put_source("handles of a library's second version", false);
}

/* What a change makes of a handle, as far as an op needs it. */
struct state {
	uint32_t stream, context;
	uint64_t scratch;
};

static struct state state_after(const struct sc_library_change *c)
{
	struct state s = {.scratch = c->use == SC_LIBRARY_SCRATCH ? (uint64_t)c->scratch : 0};
	struct sc_handle *stream;

	if (c->use != SC_LIBRARY_STREAM && c->use != SC_LIBRARY_RESET)
		return s;
	stream = sc_stream_resolve(c->stream, false, sc_context_for(c->stream));
	s.stream = stream ? stream->id : 0;
	s.context = stream ? stream->context : 0;
	return s;
}

/* Programs set the same stream, and the same scratch memory, of a handle before each call. */
static bool is_news(const struct sc_library_change *c, const struct state *s,
		    const struct sc_handle *h)
{
	if (c->use == SC_LIBRARY_STREAM || c->use == SC_LIBRARY_RESET)
		return s->stream != h->library.stream;
	return c->use != SC_LIBRARY_SCRATCH || s->scratch != h->library.scratch ||
	       c->bytes != h->library.scratch_bytes;
}

static void keep_state(const struct sc_library_change *c, const struct state *s,
		       struct sc_handle *h)
{
	if (c->use == SC_LIBRARY_STREAM || c->use == SC_LIBRARY_RESET)
		h->library.stream = s->stream;
	if (c->use == SC_LIBRARY_SCRATCH || c->use == SC_LIBRARY_RESET)
		h->library.scratch = s->scratch;
	if (c->use == SC_LIBRARY_SCRATCH || c->use == SC_LIBRARY_RESET)
		h->library.scratch_bytes = c->bytes;
}

static void put(const struct sc_library_change *c, const struct state *s, enum sc_handle_type type)
{
	const void *raw = (const void *)(uintptr_t)c->handle;
	struct sc_stack stack = sc_stack_here();
	struct sc_handle *h = stack.library ? NULL : sc_handle_see(type, raw);
	struct sc_op op;

	if (!h) /* or the library's own affair (0.4) */
		return;
	op = sc_put_new(SC_OP_LIBRARY_STREAM);
	op.object = h->id;
	op.value = c->use;
	op.stream = s->stream;
	op.context = s->context;
	op.dst = s->scratch;
	op.stack = stack.id;
	sc_put_op(&op, NULL, 0);
	keep_state(c, s, h);
	if (c->use == SC_LIBRARY_END)
		sc_handle_forget(type, raw, h->id);
}

/* Whether it is news is asked before anything else: the stack costs most. */
void sc_library_note(const struct sc_library_change *change)
{
	enum sc_handle_type type = change->is_number ? SC_HANDLE_PLAN : SC_HANDLE_LIBRARY;
	int saved = errno;
	struct sc_handle *known;
	struct state s;

	if (!sc_session_is_live() || sc_self.busy || sc_self.depth || sc_self.callback)
		return;
	known = sc_handle_find(type, (const void *)(uintptr_t)change->handle);
	s = state_after(change);
	if (!known || is_news(change, &s, known))
		put(change, &s, type);
	errno = saved;
}

/* The program keeps pointers to the functions that serve it: a child forgets none of these. */
const struct sc_module sc_module_library = {.flush = write_counts, SC_MODULE_STATE(strings)};
