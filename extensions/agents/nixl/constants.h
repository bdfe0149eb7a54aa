/* Numbers of NIXL's interface (nixl.def). */
#ifndef SC_EXTENSIONS_AGENTS_NIXL_CONSTANTS_H
#define SC_EXTENSIONS_AGENTS_NIXL_CONSTANTS_H

enum sc_nixl_constant {
#define NIXL_CONSTANT(name, value) SC_NIXL_##name = (value),
#include "extensions/agents/nixl/nixl.def"
};

#endif
