/* Numbers of NIXL's interface (nixl.def). */
#pragma once

enum sc_nixl_constant {
#define NIXL_CONSTANT(name, value) SC_NIXL_##name = (value),
#include "extensions/agents/nixl/nixl.def"
};
