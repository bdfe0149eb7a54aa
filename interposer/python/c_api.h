/* Python: the lines of the calling thread, asked of the interpreter by documented functions.
 *
 * CPython 3.10 and later, and only while the calling thread holds the interpreter's lock. The
 * garbage collector is held off meanwhile and an exception under way is put back, so that the
 * program does not notice. Not for signal handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/python/depot.h"

/* The functions by the types that they have for us: objects stay opaque. */
#define SC_PYTHON_FUNCTIONS(F)                                    \
	F(int, Py_IsInitialized, (void))                          \
	F(const char *, Py_GetVersion, (void))                    \
	F(void *, PyType_GetSlot, (void *, int))                  \
	F(int, PyGILState_Check, (void))                          \
	F(void *, PyGILState_GetThisThreadState, (void))          \
	F(void *, PyInterpreterState_Main, (void))                \
	F(void *, PyInterpreterState_Head, (void))                \
	F(void *, PyEval_GetFrame, (void))                        \
	F(void *, PyFrame_GetBack, (void *))                      \
	F(void *, PyFrame_GetCode, (void *))                      \
	F(int, PyFrame_GetLineNumber, (void *))                   \
	F(void *, PyObject_GetAttrString, (void *, const char *)) \
	F(const char *, PyUnicode_AsUTF8, (void *))               \
	F(void, Py_IncRef, (void *))                              \
	F(void, Py_DecRef, (void *))                              \
	F(void, PyErr_Fetch, (void **, void **, void **))         \
	F(void, PyErr_Restore, (void *, void *, void *))          \
	F(int, PyGC_Disable, (void))                              \
	F(int, PyGC_Enable, (void))

struct sc_python_functions {
	void *(*current)(void); /* the thread state that holds the lock */
	int (*is_finalizing)(void);
#define F(result, name, parameters) result(*name) parameters;
	SC_PYTHON_FUNCTIONS(F)
#undef F
};

/* A thread's lines, from _begin to _end: `key` has code objects, each of which is held, and
 * numbers.
 */
struct sc_python_api_stack {
	const struct sc_python_functions *py;
	struct sc_python_stack stack;
	void *error[3];
	int collects;
};

/* False if this process has no such functions. */
bool sc_python_api_find(struct sc_python_functions *py);
/* True if the calling thread holds the lock. */
bool sc_python_api_is_usable(const struct sc_python_functions *py);
void sc_python_api_begin(struct sc_python_api_stack *a, const struct sc_python_functions *py);
void sc_python_api_end(struct sc_python_api_stack *a);
void sc_python_api_print(const struct sc_python_api_stack *a, struct sc_python_text *t);
/* Holds the code objects for ever, so that no others get their addresses. */
void sc_python_api_hold(const struct sc_python_api_stack *a);
