/* Python: the lines that the interpreter was executing when a CUDA call was made.
 *
 * Only documented functions of CPython (3.10 and later) are asked, found by dlsym in a process that
 * has them, and only where the calling thread holds the interpreter's lock; calls made without it
 * are counted and said. The garbage collector is held off meanwhile, an exception under way is put
 * back, so that the program does not notice. A known stack of lines costs three short calls a
 * frame; without Python, one comparison. Not for signal handlers.
 */
#ifndef SC_INTERPOSER_PYTHON_H
#define SC_INTERPOSER_PYTHON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SC_PYTHON_SLOTS (1u << 15)

/* The functions by the types that they have for us: objects stay opaque. */
#define SC_PYTHON_FUNCTIONS(F)                                    \
	F(int, Py_IsInitialized, (void))                          \
	F(int, PyGILState_Check, (void))                          \
	F(void *, PyGILState_GetThisThreadState, (void))          \
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

struct sc_python {
	atomic_uint state;	   /* enum sc_python_state of python.c */
	_Atomic uint64_t looked;   /* at which of the loader's generations */
	_Atomic uint64_t unlocked; /* calls made without the interpreter's lock */
	void *(*current)(void);	   /* the thread state that holds the lock */
#define F(result, name, parameters) result(*name) parameters;
	SC_PYTHON_FUNCTIONS(F)
#undef F
	void *_Atomic slot[SC_PYTHON_SLOTS];
};

/* The stack of the calling thread's Python lines above the C stack `below`; `below` itself if there
 * are none. */
uint32_t sc_python_stack(uint32_t below);
/* Says what was not seen. */
void sc_python_write_counts(void);

#endif
