/* Attributes of cuDNN's graph descriptors: what setting one, or asking for one, says of a record.
 *
 * What is not known makes the record unknown, or, where it can only change which elements of given
 * tensors are used, what it touches an upper bound.
 */
#pragma once

#include "extensions/agents/operands/dnn_records.h"

#define SC_DNN_VALUES 64 /* of an attribute, that are read at once */

/* An attribute's values as cuDNN's functions get them, ... */
struct sc_dnn_values {
	int attribute;
	int type; /* cudnnBackendAttributeType_t */
	int64_t count;
	const void *at;
};

/* ... and read, extended to 64 bits; floating point numbers as they are, 0 behind the last one. */
struct sc_dnn_read {
	int attribute, type;
	unsigned count;
	int64_t value[SC_DNN_VALUES];
};

/* Bytes of a value of a type. */
unsigned sc_dnn_value_bytes(int type);
/* False if they cannot be read, or are too many. */
bool sc_dnn_read_values(const struct sc_dnn_values *in, struct sc_dnn_read *out);
/* A record's attribute was set. Under the lock of sc_dnn_records. */
void sc_dnn_attribute_set(struct sc_dnn_record *d, const struct sc_dnn_read *v);
/* The library answered: of a plan, its size of scratch memory; of others, objects that it filled
 * in, which lead to the same graph. Under the lock, too. */
void sc_dnn_attribute_answer(struct sc_dnn_record *d, const struct sc_dnn_read *v);
