/* Python: frames of the interpreter as lines of text, each stack of them kept once. */
#include "interposer/python.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "interposer/session.h"

#define DEPTH	   32	/* lines of one stack */
#define TEXT_BYTES 8192 /* of the lines of one stack */
#define PROBES	   64

enum sc_python_state { UNKNOWN, ABSENT, LOOKING, PRESENT };

/* A line being executed. The code object is borrowed from the entry that holds it. */
struct line {
	void *code;
	uint64_t number;
};

struct entry {
	uint64_t hash;
	uint32_t id, below, count;
	struct line lines[];
};

/* The calling thread's lines, innermost first; each code object is held. */
struct walk {
	struct line lines[DEPTH];
	uint32_t count;
};

/* An interpreter's state is asked for by another name since 3.13. */
static bool find_functions(struct sc_python *py)
{
	sc_dlsym_fn *find = sc_real_dlsym();
	bool all = true;

#define F(result, name, parameters)                                 \
	py->name = (result(*) parameters)find(RTLD_DEFAULT, #name); \
	all &= py->name != NULL;
	SC_PYTHON_FUNCTIONS(F)
#undef F
	py->current = (void *(*)(void))find(RTLD_DEFAULT, "PyThreadState_GetUnchecked");
	if (!py->current)
		py->current = (void *(*)(void))find(RTLD_DEFAULT, "_PyThreadState_UncheckedGet");
	return all && py->current;
}

/* Looks once, and again when the loader has loaded something since. */
static bool is_present(struct sc_python *py)
{
	/* acquire: pairs with the release below, which publishes the functions */
	unsigned state = atomic_load_explicit(&py->state, memory_order_acquire);
	uint64_t generation = sc_session.ranges.generation;

	if (state == PRESENT)
		return true;
	if (state == LOOKING || (state == ABSENT && atomic_load(&py->looked) == generation) ||
	    !sc_session.options.python ||
	    !atomic_compare_exchange_strong(&py->state, &state, LOOKING))
		return false;
	atomic_store(&py->looked, generation);
	state = find_functions(py) ? PRESENT : ABSENT;
	atomic_store_explicit(&py->state, state, memory_order_release);
	return state == PRESENT;
}

/* PyGILState_Check alone says yes to everything once there are sub-interpreters. */
static bool holds_lock(const struct sc_python *py)
{
	void *mine = py->PyGILState_GetThisThreadState();

	return mine && py->current() == mine && py->PyGILState_Check();
}

static void walk_frames(const struct sc_python *py, struct walk *w)
{
	void *frame = py->PyEval_GetFrame();

	if (frame)
		py->Py_IncRef(frame);
	while (frame) {
		void *back = w->count + 1 < DEPTH ? py->PyFrame_GetBack(frame) : NULL;
		int number = py->PyFrame_GetLineNumber(frame);

		w->lines[w->count++] = (struct line){py->PyFrame_GetCode(frame),
						     number > 0 ? (uint64_t)number : 0};
		py->Py_DecRef(frame);
		frame = back;
	}
}

static void drop(const struct sc_python *py, struct walk *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		py->Py_DecRef(w->lines[i].code);
}

static uint64_t hash_walk(const struct walk *w, uint32_t below)
{
	uint64_t h = below;

	for (uint32_t i = 0; i < w->count; i++) {
		h = (h ^ (uintptr_t)w->lines[i].code) * UINT64_C(0x9e3779b97f4a7c15);
		h = (h ^ (h >> 32) ^ w->lines[i].number) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return h ^ (h >> 32);
}

/* Appends an attribute of a code object without what would end a field; false if it has none. */
static bool add_attribute(const struct sc_python *py, char *text, uint32_t *used, void *code,
			  const char *attribute)
{
	void *value = py->PyObject_GetAttrString(code, attribute);
	const char *utf8 = value ? py->PyUnicode_AsUTF8(value) : NULL;
	void *type = NULL, *what = NULL, *trace = NULL;

	for (const char *c = utf8; c && *c && *used < TEXT_BYTES - 2; c++)
		text[(*used)++] = *c == '\t' || *c == '\n' ? ' ' : *c;
	if (value)
		py->Py_DecRef(value);
	if (utf8)
		return true;
	py->PyErr_Fetch(&type, &what, &trace); /* ours, and forgotten */
	for (void **error = (void *[]){type, what, trace, NULL}; *error; error++)
		py->Py_DecRef(*error);
	return false;
}

/* The lines as text: function, file and number, with tabs between them and line ends behind. */
static uint32_t print(const struct sc_python *py, const struct walk *w, char text[TEXT_BYTES])
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < w->count && used < TEXT_BYTES - 64; i++) {
		void *code = w->lines[i].code;

		if (!add_attribute(py, text, &used, code, "co_qualname"))
			add_attribute(py, text, &used, code, "co_name");
		text[used++] = '\t';
		add_attribute(py, text, &used, code, "co_filename");
		if (used < TEXT_BYTES - 32)
			used += (uint32_t)snprintf(text + used, TEXT_BYTES - used, "\t%llu\n",
						   (unsigned long long)w->lines[i].number);
	}
	return used;
}

/* A new stack of lines; it keeps its code objects, so that no other gets their addresses. */
static struct entry *make_entry(const struct sc_python *py, const struct walk *w, uint64_t hash,
				uint32_t below)
{
	struct entry *e = sc_arena_get(sizeof(*e) + w->count * sizeof(w->lines[0]));
	struct sc_op op = {.kind = SC_OP_STACK, .peer = below};
	struct sc_attachment part = {.type = SC_ATTACH_PYTHON};
	char text[TEXT_BYTES];

	if (!e)
		return NULL;
	*e = (struct entry){.hash = hash, .below = below, .count = w->count};
	memcpy(e->lines, w->lines, w->count * sizeof(w->lines[0]));
	for (uint32_t i = 0; i < w->count; i++)
		py->Py_IncRef(w->lines[i].code);
	e->id = 1 + atomic_fetch_add_explicit(&sc_session.stacks.ids, 1, memory_order_relaxed);
	op.object = e->id;
	part.bytes = print(py, w, text);
	part.data = text;
	sc_session_put(&op, &part, 1);
	return e;
}

static bool is_same(const struct entry *e, const struct walk *w, uint64_t hash, uint32_t below)
{
	return e->hash == hash && e->below == below && e->count == w->count &&
	       !memcmp(e->lines, w->lines, w->count * sizeof(w->lines[0]));
}

static uint32_t find_or_make(struct sc_python *py, const struct walk *w, uint32_t below)
{
	uint64_t hash = hash_walk(w, below);
	struct entry *mine = NULL;

	for (unsigned probe = 0; probe < PROBES; probe++) {
		void *_Atomic *slot = &py->slot[(hash + probe) & (SC_PYTHON_SLOTS - 1)];
		/* acquire: pairs with the release below, which publishes the entry */
		void *found = atomic_load_explicit(slot, memory_order_acquire);

		if (!found) {
			mine = mine ? mine : make_entry(py, w, hash, below);
			if (!mine)
				break;
			if (atomic_compare_exchange_strong_explicit(
				    slot, &found, mine, memory_order_release, memory_order_acquire))
				return mine->id;
		}
		if (is_same(found, w, hash, below))
			return ((struct entry *)found)->id;
	}
	return mine ? mine->id : below;
}

/* Inside the interpreter's lock. */
static uint32_t keep_lines(struct sc_python *py, uint32_t below)
{
	void *type = NULL, *what = NULL, *trace = NULL;
	struct walk walk = {.count = 0};
	int collects = py->PyGC_Disable();
	uint32_t id = below;

	py->PyErr_Fetch(&type, &what, &trace);
	walk_frames(py, &walk);
	if (walk.count)
		id = find_or_make(py, &walk, below);
	drop(py, &walk);
	py->PyErr_Restore(type, what, trace);
	if (collects)
		py->PyGC_Enable();
	return id;
}

uint32_t sc_python_stack(uint32_t below)
{
	struct sc_python *py = &sc_session.python;
	uint32_t id = below;

	if (!below || !is_present(py) || !py->Py_IsInitialized())
		return below;
	sc_self.busy++;
	if (holds_lock(py))
		id = keep_lines(py, below);
	else if (py->PyGILState_GetThisThreadState())
		atomic_fetch_add_explicit(&py->unlocked, 1, memory_order_relaxed);
	sc_self.busy--;
	return id;
}

void sc_python_write_counts(void)
{
	uint64_t unlocked = atomic_load(&sc_session.python.unlocked);
	char source[96];

	if (!unlocked)
		return;
	snprintf(source, sizeof(source),
		 "Python lines of %llu calls made without the interpreter's lock",
		 (unsigned long long)unlocked);
	sc_session_source(source, false);
}
