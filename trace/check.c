/* Check: which records of a hostile trace make sense. */
#include "trace/check.h"

#include <stddef.h>
#include <string.h>

static _Bool is_access(const struct sc_access *a)
{
	return a->mode >= SC_READ && a->mode <= SC_ATOMIC && a->known <= SC_KNOWN_PARAMETER &&
	       a->memory < SC_MEM_KINDS && (a->how == SC_HOW_OP || a->how == SC_HOW_PROGRAM);
}

static _Bool are_accesses(const uint8_t *data, uint32_t bytes)
{
	if (bytes % sizeof(struct sc_access))
		return 0;
	for (uint32_t at = 0; at < bytes; at += sizeof(struct sc_access))
		if (!is_access((const struct sc_access *)(data + at)))
			return 0;
	return 1;
}

static _Bool is_launch(const uint8_t *data, uint32_t bytes)
{
	const struct sc_launch *launch = (const struct sc_launch *)data;

	return bytes >= sizeof(*launch) && launch->param_bytes == bytes - sizeof(*launch);
}

static _Bool is_node(uint32_t bytes)
{
	return bytes >= sizeof(struct sc_node) &&
	       (bytes - sizeof(struct sc_node)) % sizeof(struct sc_dependency) == 0;
}

static _Bool is_well_formed(uint32_t type, const uint8_t *data, uint32_t bytes)
{
	switch (type) {
	case SC_ATTACH_FRAMES: return bytes % sizeof(uint64_t) == 0;
	case SC_ATTACH_ACCESSES: return are_accesses(data, bytes);
	case SC_ATTACH_LAUNCH: return is_launch(data, bytes);
	case SC_ATTACH_NODE: return is_node(bytes);
	case SC_ATTACH_LAYOUT: return bytes % sizeof(struct sc_param) == 0;
	}
	return 1; /* characters, bytes, or a type of a newer writer */
}

_Bool sc_check_attachments(const uint8_t *data, uint32_t bytes, uint32_t *used)
{
	uint32_t at = 0;

	while (bytes - at >= sizeof(struct sc_attach_head)) {
		struct sc_attach_head head;
		uint64_t next;

		memcpy(&head, data + at, sizeof(head));
		if (!head.type)
			break;
		next = at + sizeof(head) + (((uint64_t)head.bytes + 7) & ~UINT64_C(7));
		if (next > bytes)
			return 0;
		if (!is_well_formed(head.type, data + at + sizeof(head), head.bytes))
			return 0;
		at = (uint32_t)next;
	}
	*used = at;
	return 1;
}
