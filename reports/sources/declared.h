/* Declared: the variable of C or C++ that a statement gives a new object, or what a function
 * returned.
 *
 * Statements are read as people lay them out, without types: `Stream up;`, `Buffer in(n);`,
 * `auto up = std::make_unique<Stream>();`, `up = make_stream();`. One that declares several
 * variables, or that does more with the object than to keep it, has none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"

/* A function of a stack, without namespaces, templates and arguments. */
struct sc_declared_function {
	char name[128];	 /* "" if it has none: a lambda, an operator */
	char class[128]; /* "" if it is in none */
};

void sc_declared_function(struct sc_declared_function *out, const char *name);
/* True for a class's constructor. */
bool sc_declared_constructs(const struct sc_declared_function *f);

/* What a statement says of a variable. */
enum sc_declared {
	SC_DECLARED_NOTHING,
	SC_DECLARED_NEW,   /* it is declared there */
	SC_DECLARED_KNOWN, /* it was declared before, or is a member */
};

/* Appends the variable that is an object of a class, or holds the only new one. */
enum sc_declared sc_declared_object(struct sc_buf *out, const char *statement, const char *class);
/* Appends the variable that is set to what a function returns. */
enum sc_declared sc_declared_result(struct sc_buf *out, const char *statement,
				    const char *function);
/* True if the statement returns what a function returns. */
bool sc_declared_passes_on(const char *statement, const char *function);
/* True if it returns the variable. */
bool sc_declared_returns(const char *statement, const char *variable);
/* Appends the variable of an argument that is its address, perhaps with a cast: "(void **)&a", or
 * with `is_value` the variable that is the argument itself; false for any other. */
bool sc_declared_argument(struct sc_buf *out, const char *argument, bool is_value);
