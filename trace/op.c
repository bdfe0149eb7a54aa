/* Names and properties of op kinds, kinds of memory, flags and engines. */
#include "trace/op.h"

#include "trace/gap.h"

#include <stdbool.h>
#include <stddef.h>

static const char *const kinds[] = {
#define SC_OP(id, text, operands, class, meaning) text,
#include "trace/op.def"
#undef SC_OP
};

const uint8_t sc_op_classes[SC_OP_KINDS] = {
#define SC_OP(id, text, operands, class, meaning) SC_CLASS_##class,
#include "trace/op.def"
#undef SC_OP
};

static const char *const memories[] = {
#define SC_MEMORY(id, text, host, meaning) text,
#include "trace/memory.def"
#undef SC_MEMORY
};

static const bool host_memories[] = {
#define SC_MEMORY(id, text, host, meaning) host,
#include "trace/memory.def"
#undef SC_MEMORY
};

static const struct {
	const char *text;
	bool is_work;
} engines[] = {
#define SC_ENGINE(id, text, is_work, meaning) {text, is_work},
#include "trace/engine.def"
#undef SC_ENGINE
};

const char *sc_op_kind_text(unsigned kind)
{
	return kind < SC_OP_KINDS ? kinds[kind] : NULL;
}

const char *sc_memory_text(unsigned memory)
{
	return memory < SC_MEM_KINDS ? memories[memory] : NULL;
}

const char *sc_op_flag_text(uint32_t single_bit)
{
	switch (single_bit) {
#define SC_FLAG(id, bit, text, meaning) \
	case UINT32_C(1) << (bit):      \
		return text;
#include "trace/flag.def"
#undef SC_FLAG
	}
	return NULL;
}

bool sc_memory_is_host(unsigned memory)
{
	return memory < SC_MEM_KINDS && host_memories[memory];
}

const char *sc_engine_text(unsigned engine)
{
	return engine < SC_ENGINES ? engines[engine].text : NULL;
}

bool sc_engine_is_work(unsigned engine)
{
	return engine < SC_ENGINES && engines[engine].is_work;
}

const struct sc_gap_row sc_gap_rows[SC_GAPS] = {
#define SC_GAP(id, weight, place, noun, what, why) \
	{#id, noun, what, why, SC_GAP_##weight, SC_GAP_##place},
#include "trace/gap.def"
#undef SC_GAP
};
