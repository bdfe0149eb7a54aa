/* Python: which way to the lines of a thread, and whether what is read is true. */
#include "interposer/python/python.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "interposer/python/code_cache.h"
#include "interposer/python/frame_cache.h"
#include "interposer/python/frame_reader.h"
#include "interposer/core/message.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/core/module.h"
#include "interposer/core/code_range.h"
#include "interposer/python/python_thread.h"
#include "interposer/core/arena.h"

struct sc_python sc_python;

#define DEALLOC_SLOT 52 /* Py_tp_dealloc: part of the stable interface */

enum sc_python_state { UNKNOWN, ABSENT, LOOKING, PRESENT };

/* The layout that this version should have; nothing is read if a type is not there. */
static struct sc_python_layout find_layout(const struct sc_python_functions *py)
{
	sc_dlsym_fn *find = sc_real_dlsym();
	struct sc_python_layout l =
		sc_python_layout(py->Py_GetVersion(), find(RTLD_DEFAULT, "_PyRuntime"));

	l.code_type = (uint64_t)find(RTLD_DEFAULT, "PyCode_Type");
	l.string_type = (uint64_t)find(RTLD_DEFAULT, "PyUnicode_Type");
	l.bytes_type = (uint64_t)find(RTLD_DEFAULT, "PyBytes_Type");
	return l;
}

static bool find_python(struct sc_python *py)
{
	if (!sc_python_api_find(&py->functions))
		return false;
	py->layout = find_layout(&py->functions);
	return true;
}

/* Looks once, and again when the loader has loaded something since. */
static bool is_present(struct sc_python *py)
{
	/* acquire: pairs with the release below, which publishes the functions */
	unsigned state = atomic_load_explicit(&py->state, memory_order_acquire);
	uint64_t generation = sc_code_ranges.generation;

	if (state == PRESENT)
		return true;
	if (state == LOOKING || (state == ABSENT && atomic_load(&py->looked) == generation) ||
	    !sc_session.options.python ||
	    !atomic_compare_exchange_strong(&py->state, &state, LOOKING))
		return false;
	atomic_store(&py->looked, generation);
	state = find_python(py) ? PRESENT : ABSENT;
	atomic_store_explicit(&py->state, state, memory_order_release);
	return state == PRESENT;
}

/* ---- comparing ---- */

static bool is_trusted(const struct sc_python *py)
{
	return atomic_load_explicit(&py->agreed, memory_order_relaxed) >= SC_PYTHON_PROOFS &&
	       !atomic_load_explicit(&py->disagreed, memory_order_relaxed);
}

/* True if some stacks are (is_believed). */
static bool is_trusted_in_part(const struct sc_python *py)
{
	return atomic_load_explicit(&py->outermost_agreed, memory_order_relaxed) >=
		       SC_PYTHON_PROOFS &&
	       !atomic_load_explicit(&py->disagreed, memory_order_relaxed);
}

static bool is_comparable(const struct sc_python *py)
{
	return py->layout.minor && !atomic_load_explicit(&py->disagreed, memory_order_relaxed);
}

static bool has_same_codes(const struct sc_python_api_stack *a,
			   const struct sc_python_frames *frames)
{
	bool same = a->stack.count == frames->count;

	for (uint32_t i = 0; same && i < frames->count; i++)
		same = a->stack.key[i].what == frames->frame[i].code;
	return same;
}

static bool is_equal(const struct sc_python_api_stack *a, const struct sc_python_text *reported,
		     const struct sc_python_frames *frames, const struct sc_python_text *read)
{
	return has_same_codes(a, frames) && reported->used == read->used &&
	       !memcmp(reported->bytes, read->bytes, read->used);
}

/* The calling thread has the interpreter's lock, so no other is here. */
static void note_outermost(struct sc_python *py, const struct sc_python_frames *frames)
{
	uint64_t stamp;

	if (!frames->count || frames->count == SC_PYTHON_DEPTH)
		return; /* what was cut off has another outermost frame */
	stamp = frames->frame[frames->count - 1].stamp;
	if (stamp != atomic_exchange_explicit(&py->outermost, stamp, memory_order_relaxed))
		atomic_store_explicit(&py->outermost_agreed, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&py->outermost_agreed, 1, memory_order_relaxed);
}

/* True if the frames may be believed, once read: all may, or they end where they are known to. */
static bool is_believed(const struct sc_python *py, const struct sc_python_frames *frames)
{
	return is_trusted(py) ||
	       (frames->count &&
		frames->frame[frames->count - 1].stamp ==
			atomic_load_explicit(&py->outermost, memory_order_relaxed));
}

/* What could not be read proves nothing; what was read and is not so ends the reading for good. */
static void judge(struct sc_python *py, const struct sc_python_api_stack *a,
		  const struct sc_python_text *reported, const struct sc_python_frames *frames,
		  const struct sc_python_text *read)
{
	if (!is_equal(a, reported, frames, read)) {
		if (!atomic_exchange(&py->disagreed, 1) && sc_session.options.verbose)
			sc_message("Python %s: read\n%.*sreported\n%.*s",
				   py->functions.Py_GetVersion(), (int)read->used, read->bytes,
				   (int)reported->used, reported->bytes);
		return;
	}
	sc_python_codes_watch(
		py->layout.code_type,
		py->functions.PyType_GetSlot((void *)py->layout.code_type, DEALLOC_SLOT));
	if (frames->count > 1)
		atomic_fetch_add_explicit(&py->agreed, frames->count - 1, memory_order_relaxed);
	note_outermost(py, frames);
}

/* Reads the lines that the interpreter has just reported. */
static void compare(struct sc_python *py, const struct sc_python_api_stack *a,
		    const struct sc_python_text *reported)
{
	struct sc_safe_read memory;
	struct sc_python_reader reader = {&py->layout, &memory};
	struct sc_python_frames frames;
	struct sc_python_text read;
	uint64_t frame;
	bool is_read;

	if (!is_comparable(py))
		return;
	sc_safe_read_begin(&memory);
	is_read = sc_python_read_innermost(&reader, (uint64_t)py->functions.current(), &frame) &&
		  sc_python_read(&reader, frame, &frames) &&
		  sc_python_read_text(&reader, &frames, &read);
	sc_safe_read_end(&memory);
	if (is_read)
		judge(py, a, reported, &frames, &read);
	else if (sc_session.options.verbose)
		sc_message("Python %s: frames could not be read", py->functions.Py_GetVersion());
}

/* ---- the two ways, and what spares both ---- */

/* With several interpreters a thread may have several states, and which one it is in is not known.
 */
static bool is_readable(const struct sc_python *py)
{
	const struct sc_python_functions *f = &py->functions;

	return (is_trusted(py) || is_trusted_in_part(py)) && !f->is_finalizing() &&
	       f->PyInterpreterState_Head() == f->PyInterpreterState_Main();
}

/* The frame that the calling thread's lines begin with; 0: none. False if that cannot be read. */
static bool find_innermost(const struct sc_python_reader *r, uint64_t *frame)
{
	uint64_t thread = (uint64_t)sc_python.functions.PyGILState_GetThisThreadState();

	*frame = 0;
	if (thread && !sc_python_read_innermost(r, thread, frame))
		return false;
	if (!*frame)
		*frame = sc_python_thread()->frame;
	return true;
}

/* True if the thread is where it was before. */
static bool find_kept(struct sc_python *py, uint32_t below, uint32_t *id)
{
	struct sc_safe_read memory;
	struct sc_python_reader reader = {&py->layout, &memory};
	uint64_t frame;
	bool is_known;

	if (!is_readable(py))
		return false;
	sc_safe_read_begin(&memory);
	is_known = find_innermost(&reader, &frame) &&
		   sc_python_frame_cache_find(&reader, frame, below, id);
	sc_safe_read_end(&memory);
	return is_known;
}

/* Keeps what the interpreter has reported, if frames say the same. */
static void keep_reported(struct sc_python *py, const struct sc_python_api_stack *a, uint32_t below,
			  uint32_t id)
{
	struct sc_safe_read memory;
	struct sc_python_reader reader = {&py->layout, &memory};
	struct sc_python_frames frames;
	uint64_t frame;

	if (id == below || !is_readable(py))
		return;
	sc_safe_read_begin(&memory);
	if (find_innermost(&reader, &frame) && sc_python_read(&reader, frame, &frames) &&
	    has_same_codes(a, &frames))
		sc_python_frame_cache_keep(&reader, frame, frames.steps, below, id);
	sc_safe_read_end(&memory);
}

static bool print_api_stack(void *context, struct sc_python_text *text)
{
	struct sc_python_api_stack *a = context;

	sc_python_api_print(a, text);
	compare(&sc_python, a, text);
	sc_python_api_hold(a);
	return true;
}

/* Inside the interpreter's lock. */
static uint32_t ask_api(struct sc_python *py, uint32_t below)
{
	struct sc_python_api_stack lines;
	uint32_t id = below;

	sc_python_api_begin(&lines, &py->functions);
	if (lines.stack.count)
		id = sc_python_depot_find(&py->depot, &lines.stack, below, print_api_stack, &lines);
	keep_reported(py, &lines, below, id);
	sc_python_api_end(&lines);
	return id;
}

struct reading {
	struct sc_python_reader reader;
	struct sc_python_frames frames;
};

static bool print_read(void *context, struct sc_python_text *text)
{
	const struct reading *r = context;

	return sc_python_read_text(&r->reader, &r->frames, text);
}

#define READ (UINT64_C(1) << 63) /* in a key: not a line's number, but an instruction's offset */

/* False if there are lines and they are not known. */
static bool read_with(struct sc_python *py, struct sc_safe_read *memory, uint32_t *id)
{
	struct reading r = {.reader = {&py->layout, memory}};
	struct sc_python_stack stack;
	uint32_t below = *id;
	uint64_t frame;

	if (!find_innermost(&r.reader, &frame) || !sc_python_read(&r.reader, frame, &r.frames))
		return false;
	if (r.frames.count && !is_believed(py, &r.frames))
		return false;
	stack.count = r.frames.count;
	if (!stack.count)
		return true;
	for (uint32_t i = 0; i < stack.count; i++)
		stack.key[i] = (struct sc_python_key){r.frames.frame[i].stamp,
						      r.frames.frame[i].offset | READ};
	*id = sc_python_depot_find(&py->depot, &stack, below, print_read, &r);
	if (*id != below && !memory->is_handler)
		sc_python_frame_cache_keep(&r.reader, frame, r.frames.steps, below, *id);
	return *id != below;
}

/* Counts where there are no lines and should be. */
static uint32_t read_lines(struct sc_python *py, uint32_t below,
			   void (*begin)(struct sc_safe_read *), _Atomic uint64_t *missing)
{
	bool is_known = false;
	struct sc_safe_read memory;

	if (!py->functions.PyGILState_GetThisThreadState() && !sc_python_thread()->frame)
		return below;
	if (is_readable(py)) {
		begin(&memory);
		is_known = read_with(py, &memory, &below);
		sc_safe_read_end(&memory);
	}
	if (!is_known)
		atomic_fetch_add_explicit(missing, 1, memory_order_relaxed);
	return below;
}

uint32_t sc_python_stack(uint32_t below)
{
	struct sc_python *py = &sc_python;
	uint32_t id = below;

	if (!below || !is_present(py) || !py->functions.Py_IsInitialized())
		return below;
	sc_self.busy++;
	if (!find_kept(py, below, &id)) {
		if (sc_python_api_is_usable(&py->functions))
			id = ask_api(py, below);
		else
			id = read_lines(py, below, sc_safe_read_begin, &py->unlocked);
	}
	sc_self.busy--;
	return id;
}

static uint32_t stack_of_access(uint32_t below, void (*begin)(struct sc_safe_read *))
{
	struct sc_python *py = &sc_python;
	uint32_t id;

	/* acquire: as in is_present; nothing can be looked for here */
	if (!below || atomic_load_explicit(&py->state, memory_order_acquire) != PRESENT ||
	    !py->functions.Py_IsInitialized())
		return below;
	sc_self.busy++;
	id = read_lines(py, below, begin, &py->accesses);
	sc_self.busy--;
	return id;
}

uint32_t sc_python_stack_of_access(uint32_t below)
{
	return stack_of_access(below, sc_safe_read_begin);
}

uint32_t sc_python_stack_interrupted(uint32_t below)
{
	return stack_of_access(below, sc_safe_read_begin_in_handler);
}

uint64_t sc_python_frame(void)
{
	struct sc_python *py = &sc_python;
	struct sc_safe_read memory;
	struct sc_python_reader reader = {&py->layout, &memory};
	uint64_t frame;

	/* acquire: as in is_present; what has not been used yet needs no frames */
	if (atomic_load_explicit(&py->state, memory_order_acquire) != PRESENT ||
	    !py->functions.Py_IsInitialized() || !is_readable(py))
		return 0;
	sc_safe_read_begin(&memory);
	if (!find_innermost(&reader, &frame))
		frame = sc_python_thread()->frame;
	sc_safe_read_end(&memory);
	return frame;
}

void sc_python_compare(void)
{
	struct sc_python *py = &sc_python;
	struct sc_python_api_stack lines;
	struct sc_python_text *reported;
	int saved = errno;

	if (is_trusted(py) || !sc_session_is_live() || sc_self.busy || !is_present(py) ||
	    !is_comparable(py) || !py->functions.Py_IsInitialized())
		return;
	sc_self.busy++;
	reported = sc_python_depot_text();
	if (reported && sc_python_api_is_usable(&py->functions)) {
		sc_python_api_begin(&lines, &py->functions);
		sc_python_api_print(&lines, reported);
		compare(py, &lines, reported);
		sc_python_api_end(&lines);
	}
	sc_self.busy--;
	errno = saved;
}

bool sc_python_is_absent(void)
{
	return !is_present(&sc_python) &&
	       (!sc_session.options.python || atomic_load(&sc_python.state) == ABSENT);
}

static void say_missing(uint64_t count, const char *what)
{
	char source[96];

	if (!count)
		return;
	snprintf(source, sizeof(source), "Python lines of %llu %s", (unsigned long long)count,
		 what);
	sc_put_source(source, false);
}

static void write_counts(void)
{
	const struct sc_python *py = &sc_python;

	say_missing(atomic_load(&py->unlocked), "calls made with the GIL released");
	say_missing(atomic_load(&py->accesses), "accesses to host memory");
	if (atomic_load(&py->disagreed))
		sc_put_source("Python lines from frames: the interpreter's structures have an "
			      "unexpected layout",
			      false);
}

/* ---- the module ---- */

static void give_back(void)
{
	SC_ARENA_GIVE(PYTHON, sc_python_thread()->frames);
}

const struct sc_module sc_module_python = {
	.flush = write_counts, .thread_end = give_back, SC_MODULE_STATE(sc_python)};
