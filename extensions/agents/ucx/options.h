/* Options that a program hands to UCX (options.def): reading them, and a copy with ours in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sc_ucx_constant {
#define UCX_CONSTANT(name, value) SC_##name = (value),
#include "extensions/agents/ucx/options.def"
};

enum sc_ucx_option {
#define UCX_OPTION(name, member, bit, offset, bytes) SC_UCX_OPTION_##name,
#include "extensions/agents/ucx/options.def"
	SC_UCX_OPTIONS
};

enum sc_ucx_handler_option {
#define UCX_HANDLER_OPTION(name, member, bit, offset, bytes) SC_UCX_HANDLER_OPTION_##name,
#include "extensions/agents/ucx/options.def"
	SC_UCX_HANDLER_OPTIONS
};

/* As large as the fields that are known. */
struct sc_ucx_options {
	uint64_t word[9];
};

struct sc_ucx_handler_options {
	uint64_t word[4];
};

/* The field, or `otherwise` if it is not in use. `options` may be NULL, as UCX allows. */
uint64_t sc_ucx_option(const void *options, enum sc_ucx_option which, uint64_t otherwise);
/* The fields in use, and no others; false: fields are in use that are not known. */
bool sc_ucx_options_copy(struct sc_ucx_options *to, const void *from);
/* Sets a field of 8 bytes. */
void sc_ucx_options_set(struct sc_ucx_options *o, enum sc_ucx_option which, uint64_t value);

/* The same of a handler's. */
uint64_t sc_ucx_handler_option(const void *options, enum sc_ucx_handler_option which);
bool sc_ucx_handler_options_copy(struct sc_ucx_handler_options *to, const void *from);
void sc_ucx_handler_options_set(struct sc_ucx_handler_options *o, enum sc_ucx_handler_option which,
				uint64_t value);
