/* References: those of each object that is loaded, changed in place. */
#include "interposer/core/reference.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include "interposer/core/absent.h"
#include "interposer/core/loaded_object.h"
#include "extensions/agents/agent.h"

#define BEFORE_MOST 16 /* with as many, any function may be theirs */

/* Changed while the loader's list is held. */
static struct {
	unsigned settled;	    /* objects at the beginning of the loader's list */
	unsigned long long removed; /* objects that had been unloaded by then */
	/* The program, and what is preloaded before this library: first in every scope. */
	struct sc_loaded_object before[BEFORE_MOST];
	unsigned before_count;
	atomic_bool has_rpath; /* a library has one; the program's counts for all */
} references;

/* What may have been loaded, and how much of that was looked at. */
static atomic_uint loads, looked_at;
static atomic_bool has_deep_one;

/* A walk over the objects: over those that were there before it, since others may not be complete.
 */
struct round {
	unsigned index, count;
	unsigned long long removed;  /* when they were counted */
	const struct link_map *last; /* NULL: all */
	bool is_deep;
	struct sc_loaded_object definer; /* of the last function, often of the next one, too */
};

/* ---- functions of agents ---- */

static bool is_before(struct sc_loaded_name name, unsigned first)
{
	if (references.before_count == BEFORE_MOST)
		return true;
	for (unsigned i = first; i < references.before_count; i++)
		if (sc_loaded_object_find(&references.before[i], name))
			return true;
	return false;
}

/* Who defines the function of the name that is at this address, or, for 0, anywhere. */
struct question {
	struct sc_loaded_name name;
	uint64_t address;
	struct sc_loaded_object *definer;
};

static bool is_answer(const struct question *q)
{
	uint64_t found = q->definer->hash ? sc_loaded_object_find(q->definer, q->name) : 0;

	return found && (!q->address || found == q->address);
}

static int ask(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct question *q = data;

	(void)bytes;
	return sc_loaded_object_read(info, q->definer) && is_answer(q);
}

static bool is_defined(struct round *r, struct sc_loaded_name name, uint64_t address)
{
	struct question q = {name, address, &r->definer};

	return is_answer(&q) || dl_iterate_phdr(ask, &q);
}

/* A place that is filled at the first call leads into its own object until then. */
static void replace(struct round *r, const struct sc_loaded_object *o, const ElfW(Rela) * place,
		    const ElfW(Sym) * s, uint64_t value)
{
	struct sc_loaded_name name = sc_loaded_name(o->names + s->st_name);
	bool is_jump = ELF64_R_TYPE(place->r_info) == R_X86_64_JUMP_SLOT;
	bool is_own = s->st_shndx != SHN_UNDEF;
	uint64_t wrapper = (uint64_t)sc_agent_called(name.text);

	if (!wrapper || (is_own && o->is_symbolic) ||
	    ELF64_ST_VISIBILITY(s->st_other) != STV_DEFAULT || is_before(name, 0))
		return;
	if (is_defined(r, name, value) ||
	    (is_jump && sc_loaded_object_has(o, value) && is_defined(r, name, 0)))
		sc_loaded_object_write(o, (uint64_t *)(o->base + place->r_offset),
				       wrapper + (is_jump ? 0 : (uint64_t)place->r_addend));
}

/* ---- all of them ---- */

/* Of most nothing else is looked at. */
static inline bool is_of_interest(const struct sc_loaded_object *o, const ElfW(Rela) * place)
{
	const ElfW(Sym) *s = &o->symbols[ELF64_R_SYM(place->r_info)];

	return (ELF64_ST_BIND(s->st_info) == STB_WEAK && s->st_shndx == SHN_UNDEF) ||
	       sc_agent_may_be(o->names + s->st_name);
}

static void settle_one(struct round *r, const struct sc_loaded_object *o, const ElfW(Rela) * place)
{
	const ElfW(Sym) *s = &o->symbols[ELF64_R_SYM(place->r_info)];
	const char *name = o->names + s->st_name;
	unsigned type = (unsigned)ELF64_R_TYPE(place->r_info);
	bool is_weak = s->st_shndx == SHN_UNDEF && ELF64_ST_BIND(s->st_info) == STB_WEAK;
	uint64_t addend = type == R_X86_64_64 ? (uint64_t)place->r_addend : 0;
	uint64_t *slot = (uint64_t *)(o->base + place->r_offset);
	bool is_agents = !r->is_deep && sc_agent_may_be(name);

	if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT && type != R_X86_64_64)
		return;
	if (!sc_loaded_object_has(&sc_absent_here, *slot - addend)) {
		if (is_agents && *slot != addend)
			replace(r, o, place, s, *slot - addend);
	} else if (is_weak && sc_absent_is(name)) {
		sc_loaded_object_write(o, slot, addend);
	}
}

static void settle(struct round *r, const struct sc_loaded_object *o)
{
	size_t i = o->relocations ? o->relative_count : o->count; /* those come first */

	for (; i < o->count; i++)
		if (is_of_interest(o, &o->relocations[i]))
			settle_one(r, o, &o->relocations[i]);
	for (i = 0; o->jumps && i < o->jump_count; i++)
		if (is_of_interest(o, &o->jumps[i]))
			settle_one(r, o, &o->jumps[i]);
}

static unsigned less(unsigned count, unsigned long long removed)
{
	return removed < count ? count - (unsigned)removed : 0;
}

/* Objects are put at the end of the loader's list, and may be taken out anywhere. */
static void note_removed(struct round *r, unsigned long long removed)
{
	references.settled = less(references.settled, removed - references.removed);
	references.removed = removed;
	r->count = less(r->count, removed - r->removed);
}

static int settle_next(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct round *r = data;
	struct sc_loaded_object o;

	(void)bytes;
	if (!r->index)
		note_removed(r, info->dlpi_subs);
	if (r->index++ < references.settled || r->index > r->count)
		return 0;
	if (sc_loaded_object_read(info, &o) && !sc_loaded_object_has(&o, (uint64_t)&references))
		settle(r, &o);
	if (o.has_rpath && r->index > 1)
		atomic_store(&references.has_rpath, true);
	references.settled = r->index;
	return 0;
}

static int count_one(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct round *r = data;

	(void)bytes;
	r->removed = info->dlpi_subs;
	r->count++;
	return r->last && info->dlpi_addr == r->last->l_addr && info->dlpi_name == r->last->l_name;
}

/* Up to an object that is known to be complete, as all before it are; or all that are there, when
 * the loader has answered a question: it does when what another thread loads is complete. */
static void settle_until(const struct link_map *last)
{
	struct round r = {.is_deep = atomic_exchange(&has_deep_one, false), .last = last};
	unsigned now = atomic_load(&loads);
	Dl_info info;

	dl_iterate_phdr(count_one, &r);
	if (!last)
		dladdr(&_r_debug, &info);
	dl_iterate_phdr(settle_next, &r);
	if (r.index == r.count)
		atomic_store(&looked_at, now);
}

void sc_references_load(bool is_deep)
{
	if (is_deep)
		atomic_store(&has_deep_one, true);
	atomic_fetch_add(&loads, 1);
}

void sc_references_settle(void)
{
	int saved = errno;

	if (atomic_load(&loads) != atomic_load(&looked_at) && sc_absent_here.hash)
		settle_until(NULL);
	errno = saved;
}

void sc_references_loaded(const struct link_map *handle)
{
	int saved = errno;

	sc_references_load(false); /* another thread may have looked before it was there */
	if (handle && sc_absent_here.hash)
		settle_until(handle);
	errno = saved;
}

bool sc_references_have_rpath(void)
{
	return atomic_load(&references.has_rpath);
}

/* ---- what comes before ---- */

static int read_before(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct sc_loaded_object o;

	(void)bytes, (void)data;
	if (!sc_loaded_object_read(info, &o))
		return 0;
	if (sc_loaded_object_has(&o, (uint64_t)&references) ||
	    references.before_count == BEFORE_MOST)
		return 1;
	references.before[references.before_count++] = o;
	return 0;
}

void sc_references_begin(void)
{
	sc_absent_begin();
	dl_iterate_phdr(read_before, NULL);
	settle_until(NULL);
}

bool sc_references_is_next(const char *name, const void *caller)
{
	unsigned i = 0;

	while (i < references.before_count &&
	       !sc_loaded_object_has(&references.before[i], (uint64_t)caller))
		i++;
	return i < references.before_count && !is_before(sc_loaded_name(name), i + 1);
}
