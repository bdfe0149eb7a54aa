/* Numbers of NIXL's interface (nixl.def). */
#ifndef SC_INTERPOSER_NIXL_CONSTANTS_H
#define SC_INTERPOSER_NIXL_CONSTANTS_H

enum sc_nixl_constant {
#define NIXL_CONSTANT(name, value) SC_NIXL_##name = (value),
#include "interposer/nixl/nixl.def"
};

#endif
