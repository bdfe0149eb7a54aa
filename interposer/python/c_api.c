/* Lines of Python by the interpreter's documented functions. */
#include "interposer/python/c_api.h"

#include <dlfcn.h>
#include "interposer/core/real.h"

/* A function that has another name since 3.13. */
static void *find_renamed(const char *name, const char *before)
{
	void *found = sc_real_dlsym()(RTLD_DEFAULT, name);

	return found ? found : sc_real_dlsym()(RTLD_DEFAULT, before);
}

bool sc_python_api_find(struct sc_python_functions *py)
{
	bool all = true;

#define F(result, name, parameters)                                            \
	py->name = (result(*) parameters)sc_real_dlsym()(RTLD_DEFAULT, #name); \
	all &= py->name != NULL;
	SC_PYTHON_FUNCTIONS(F)
#undef F
	py->current = (void *(*)(void))find_renamed("PyThreadState_GetUnchecked",
						    "_PyThreadState_UncheckedGet");
	py->is_finalizing = (int (*)(void))find_renamed("Py_IsFinalizing", "_Py_IsFinalizing");
	return all && py->current && py->is_finalizing;
}

/* PyGILState_Check alone says yes to everything once there are sub-interpreters. */
bool sc_python_api_is_usable(const struct sc_python_functions *py)
{
	void *mine = py->PyGILState_GetThisThreadState();

	return mine && py->current() == mine && py->PyGILState_Check();
}

static void walk_frames(struct sc_python_api_stack *a)
{
	const struct sc_python_functions *py = a->py;
	struct sc_python_stack *s = &a->stack;
	void *frame = py->PyEval_GetFrame();

	s->count = 0;
	if (frame)
		py->Py_IncRef(frame);
	while (frame) {
		void *back = s->count + 1 < SC_PYTHON_DEPTH ? py->PyFrame_GetBack(frame) : NULL;
		int number = py->PyFrame_GetLineNumber(frame);

		s->key[s->count++] = (struct sc_python_key){(uint64_t)py->PyFrame_GetCode(frame),
							    number > 0 ? (uint64_t)number : 0};
		py->Py_DecRef(frame);
		frame = back;
	}
}

void sc_python_api_begin(struct sc_python_api_stack *a, const struct sc_python_functions *py)
{
	a->py = py;
	a->collects = py->PyGC_Disable();
	py->PyErr_Fetch(&a->error[0], &a->error[1], &a->error[2]);
	walk_frames(a);
}

void sc_python_api_end(struct sc_python_api_stack *a)
{
	for (uint32_t i = 0; i < a->stack.count; i++)
		a->py->Py_DecRef((void *)a->stack.key[i].what);
	a->py->PyErr_Restore(a->error[0], a->error[1], a->error[2]);
	if (a->collects)
		a->py->PyGC_Enable();
}

void sc_python_api_hold(const struct sc_python_api_stack *a)
{
	for (uint32_t i = 0; i < a->stack.count; i++)
		a->py->Py_IncRef((void *)a->stack.key[i].what);
}

/* Appends an attribute of a code object; false if it has none. */
static bool add_attribute(const struct sc_python_functions *py, struct sc_python_text *t,
			  void *code, const char *attribute)
{
	void *value = py->PyObject_GetAttrString(code, attribute);
	const char *utf8 = value ? py->PyUnicode_AsUTF8(value) : NULL;
	void *error[3] = {NULL, NULL, NULL};

	if (utf8)
		sc_python_text_add(t, utf8);
	if (value)
		py->Py_DecRef(value);
	if (utf8)
		return true;
	py->PyErr_Fetch(&error[0], &error[1], &error[2]); /* ours, and forgotten */
	for (unsigned i = 0; i < 3 && error[i]; i++)
		py->Py_DecRef(error[i]);
	return false;
}

void sc_python_api_print(const struct sc_python_api_stack *a, struct sc_python_text *t)
{
	for (uint32_t i = 0; i < a->stack.count && sc_python_text_has_room(t); i++) {
		void *code = (void *)a->stack.key[i].what;

		if (!add_attribute(a->py, t, code, "co_qualname"))
			add_attribute(a->py, t, code, "co_name");
		sc_python_text_end_function(t);
		add_attribute(a->py, t, code, "co_filename");
		sc_python_text_end_line(t, a->stack.key[i].where);
	}
}
