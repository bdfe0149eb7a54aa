/* Check: which records of a hostile trace make sense. */
#include "trace/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "trace/reader.h"

static bool is_access(const struct sc_access *a)
{
	return a->mode >= SC_READ && a->mode < SC_MODES && a->known <= SC_KNOWN_PARAMETER &&
	       a->memory < SC_MEM_KINDS && a->order < SC_SOURCE_ORDERS &&
	       (a->how == SC_HOW_OP || a->how == SC_HOW_PROGRAM || a->how == SC_HOW_RECORDED);
}

static bool are_accesses(const struct sc_access *list, uint32_t bytes, struct sc_checked *out)
{
	uint32_t count = 0;

	for (; bytes >= sizeof(*list); bytes -= sizeof(*list))
		if (!is_access(&list[count++]))
			return 0;
	if (!out->accesses) {
		out->accesses = list;
		out->access_count = count;
	}
	return !bytes;
}

static bool is_launch(const uint8_t *data, uint32_t bytes)
{
	const struct sc_launch *launch = (const struct sc_launch *)data;

	return bytes >= sizeof(*launch) && launch->param_bytes == bytes - sizeof(*launch);
}

static bool is_node(uint32_t bytes)
{
	return bytes >= sizeof(struct sc_node) &&
	       (bytes - sizeof(struct sc_node)) % sizeof(struct sc_dependency) == 0;
}

static bool is_well_formed(uint32_t type, const uint8_t *data, uint32_t bytes,
			   struct sc_checked *out)
{
	switch (type) {
	case SC_ATTACH_FRAMES: return bytes % sizeof(uint64_t) == 0;
	case SC_ATTACH_ACCESSES: return are_accesses((const void *)data, bytes, out);
	case SC_ATTACH_LAUNCH: return is_launch(data, bytes);
	case SC_ATTACH_NODE: return is_node(bytes);
	case SC_ATTACH_LAYOUT: return bytes % sizeof(struct sc_param) == 0;
	}
	return 1; /* characters, bytes, or a type of a newer writer */
}

bool sc_check_attachments(const uint8_t *data, uint32_t bytes, struct sc_checked *out)
{
	uint32_t at = 0;

	*out = (struct sc_checked){0};

	while (bytes - at >= sizeof(struct sc_attach_head)) {
		struct sc_attach_head head;
		uint64_t next;

		memcpy(&head, data + at, sizeof(head));
		if (!head.type)
			break;
		next = at + sizeof(head) + (((uint64_t)head.bytes + 7) & ~UINT64_C(7));
		if (next > bytes)
			return 0;
		if (!is_well_formed(head.type, data + at + sizeof(head), head.bytes, out))
			return 0;
		at = (uint32_t)next;
	}
	out->used = at;
	return 1;
}

const void *sc_record_attachment(const struct sc_record *record, uint32_t type, uint32_t *bytes)
{
	uint32_t at = 0;

	while (record->attachment_bytes - at >= sizeof(struct sc_attach_head)) {
		struct sc_attach_head head;

		memcpy(&head, record->attachments + at, sizeof(head));
		at += sizeof(head);
		if (head.type == type) {
			*bytes = head.bytes;
			return record->attachments + at;
		}
		at += (head.bytes + 7) & ~UINT32_C(7);
	}
	*bytes = 0;
	return NULL;
}
