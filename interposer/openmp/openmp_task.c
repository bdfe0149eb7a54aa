/* GNU's OpenMP runtime: tasks, by wrappers of the real functions.
 *
 * The runtime keeps a copy of a task's data. Our copy begins with a head, which says whose data it
 * is and what is known of the task; the runtime calls our function to make the copy.
 */
#include "interposer/openmp/openmp.h"

#include <string.h>
#include "interposer/core/session.h"
#include "interposer/openmp/task.h"
#include "interposer/core/thread.h"
#include "interposer/sync/sync.h"

#define EXPORT SC_OPENMP_EXPORT
#define REAL   SC_OPENMP_REAL

/* Of the runtime's interface: `flags`. */
#define FLAG_DEPEND   (1u << 3)
#define FLAG_NO_GROUP (1u << 11)
#define FLAG_DETACH   (1u << 13)

#define FIRST_WORDS                                                                  \
	3 /* of the data, which the runtime may look at: a part's bounds, reductions \
	   */
#define BOUNDS 2

struct head {
	void *first[FIRST_WORDS];
	sc_openmp_fn *function;
	sc_openmp_copy_fn *copy; /* the program's; NULL: byte by byte */
	void *data;		 /* the program's own; NULL: it follows this head */
	size_t bytes, offset;
	struct sc_task *creator;
	struct sc_task *task;	    /* of the copy of a task */
	struct sc_sync_point *told; /* by who runs into a loop of tasks, else NULL */
	bool is_depending;
};

static struct head head_of(sc_openmp_fn *function, void *data, sc_openmp_copy_fn *copy, long bytes,
			   long align)
{
	size_t step = align > 0 ? (size_t)align : 1;
	struct head h = {.function = function, .copy = copy, .data = data};

	h.bytes = bytes > 0 ? (size_t)bytes : 0;
	h.offset = (sizeof(h) + step - 1) / step * step;
	h.creator = sc_self.task;
	if (h.bytes)
		memcpy(h.first, data, h.bytes < sizeof(h.first) ? h.bytes : sizeof(h.first));
	return h;
}

static void *data_of(struct head *h)
{
	return h->data ? h->data : (char *)h + h->offset;
}

static void copy_head(void *to, void *from)
{
	struct head *source = from, *h = to;

	*h = *source;
	h->data = NULL;
	if (!h->told)
		h->task = sc_task_create(h->creator, h->is_depending);
	if (h->copy)
		h->copy(data_of(h), source->data);
	else if (h->bytes)
		memcpy(data_of(h), source->data, h->bytes);
}

static void run(const struct head *h, struct sc_task *task, void *data)
{
	struct sc_task *outer = sc_self.task;

	sc_self.task = task;
	h->function(data);
	sc_self.task = outer;
	sc_task_end(task);
}

static void run_task(void *data)
{
	struct head *h = data;

	sc_task_run(h->task);
	run(h, h->task, data_of(h));
}

/* A part of a loop: the runtime has written its bounds where it found the data. */
static void run_part(void *data)
{
	struct head *h = data;

	memcpy(data_of(h), h->first, BOUNDS * sizeof(h->first[0]));
	run(h, sc_task_begin_part(h->creator, h->told), data_of(h));
}

#define REPLACE(runner)                                   \
	do {                                              \
		function = runner;                        \
		data = &head;                             \
		copy = copy_head;                         \
		bytes = (long)(head.offset + head.bytes); \
		if (align < (long)_Alignof(struct head))  \
			align = _Alignof(struct head);    \
	} while (0)

/* What runs at once, in the thread that made it, is the thread's own work. Of a detached task it is
 * not known when it ends. */
#define TASK(name, parameters, arguments, object)                            \
	EXPORT void name parameters;                                         \
	EXPORT void name parameters                                          \
	{                                                                    \
		typeof(&name) real = REAL(name);                             \
		struct head head;                                            \
                                                                             \
		if (!real)                                                   \
			return;                                              \
		if (sc_self.task && is_deferred && !(flags & FLAG_DETACH)) { \
			head = head_of(function, data, copy, bytes, align);  \
			head.is_depending = flags & FLAG_DEPEND;             \
			REPLACE(run_task);                                   \
		}                                                            \
		real arguments;                                              \
	}
/* Without a group nothing of ours may lie on this stack, and nobody waits. */
#define TASKLOOP(name, parameters, arguments, object)               \
	EXPORT void name parameters;                                \
	EXPORT void name parameters                                 \
	{                                                           \
		typeof(&name) real = REAL(name);                    \
		struct sc_task *creator = sc_self.task;             \
		struct sc_sync_point told = {0};                    \
		struct head head;                                   \
                                                                    \
		if (!real)                                          \
			return;                                     \
		if (!creator || flags & FLAG_NO_GROUP) {            \
			real arguments;                             \
			return;                                     \
		}                                                   \
		head = head_of(function, data, copy, bytes, align); \
		head.told = &told;                                  \
		REPLACE(run_part);                                  \
		sc_sync_point_release(&told, SC_SYNC_THREAD);       \
		sc_task_begin_group(creator);                       \
		real arguments;                                     \
		sc_task_end_group(creator);                         \
	}

#define AFTER(name, parameters, arguments, learn) \
	EXPORT void name parameters;              \
	EXPORT void name parameters               \
	{                                         \
		typeof(&name) real = REAL(name);  \
                                                  \
		if (real)                         \
			real arguments;           \
		learn(sc_self.task);              \
	}
#define TASKWAIT(name, parameters, arguments, object) \
	AFTER(name, parameters, arguments, sc_task_wait)
#define TASKWAIT_DEPEND(name, parameters, arguments, object) \
	AFTER(name, parameters, arguments, sc_task_wait_depending)
#define GROUP_START(name, parameters, arguments, object) \
	AFTER(name, parameters, arguments, sc_task_begin_group)
#define GROUP_END(name, parameters, arguments, object) \
	AFTER(name, parameters, arguments, sc_task_end_group)

#define OPENMP(kind, name, parameters, arguments, object) kind(name, parameters, arguments, object)
#include "interposer/openmp/openmp_task.def"
