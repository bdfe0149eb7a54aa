/* Classes of op kinds; part of trace/op.h. */
#pragma once

enum sc_op_class { SC_CLASS_DEFINE, SC_CLASS_HOST, SC_CLASS_ENQUEUE, SC_CLASS_WAIT };

extern const uint8_t sc_op_classes[SC_OP_KINDS];

static inline enum sc_op_class sc_op_kind_class(unsigned kind)
{
	return kind < SC_OP_KINDS ? (enum sc_op_class)sc_op_classes[kind] : SC_CLASS_DEFINE;
}
