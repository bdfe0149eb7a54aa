/* Found: written by the follower, read by who judges what is left. */
#include "cmds/files/follower_findings.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/message.h"
#include "base/map.h"
#include "base/vector.h"
#include "cmds/files/kept_trace.h"
#include "cmds/files/text_file.h"
#include "footprint/footprint.h"
#include "trace/check.h"
#include "analyzer/parts.h"

#define MAGIC "SCFOUND1"
#define MOST  ((size_t)1 << 30)

struct head {
	char magic[8];
	uint64_t start_ns; /* of the trace, as is the process */
	uint32_t process;
	uint32_t finding_bytes, op_bytes;
	uint32_t reserved;
};

struct entry {
	uint32_t bytes; /* with this */
	uint32_t records;
};

struct kept_record {
	uint64_t sequence;
	uint64_t attachment_bytes;
	struct sc_op op;
};

static struct head head_of(const struct sc_reader *r)
{
	struct head head = {.start_ns = sc_reader_header(r)->start_ns,
			    .process = sc_reader_header(r)->process,
			    .finding_bytes = sizeof(struct sc_finding),
			    .op_bytes = sizeof(struct sc_op)};

	memcpy(head.magic, MAGIC, sizeof(head.magic));
	return head;
}

/* ---- written ---- */

static bool name(char path[PATH_MAX], const char *trace)
{
	return snprintf(path, PATH_MAX, "%s" SC_FOUND_ENDING, trace) < PATH_MAX;
}

void sc_found_init(struct sc_found *f, const char *trace)
{
	*f = (struct sc_found){.fd = -1};
	if (!name(f->path, trace))
		*f->path = '\0';
}

void sc_found_fini(struct sc_found *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* What is not written whole ends the file, so nothing may follow it. */
static void put(struct sc_found *f, const struct sc_buf *bytes)
{
	ssize_t done;

	do
		done = write(f->fd, bytes->text, bytes->bytes);
	while (done < 0 && errno == EINTR);
	if (done == (ssize_t)bytes->bytes)
		return;
	sc_warn("cannot write %s: %s", f->path, strerror(done < 0 ? errno : ENOSPC));
	sc_found_fini(f);
	*f->path = '\0';
}

static void begin(struct sc_found *f, const struct sc_reader *r)
{
	struct head head = head_of(r);
	struct sc_buf bytes = {0};

	f->fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		     0600);
	if (f->fd < 0) {
		sc_warn("cannot write %s: %s", f->path, strerror(errno));
		*f->path = '\0';
		return;
	}
	sc_buf_add_bytes(&bytes, (const char *)&head, sizeof(head));
	put(f, &bytes);
	sc_buf_fini(&bytes);
}

static void add_record(struct sc_buf *out, const struct sc_record *r)
{
	struct kept_record kept = {r->sequence, r->attachment_bytes, r->op};

	sc_buf_add_bytes(out, (const char *)&kept, sizeof(kept));
	if (r->attachment_bytes)
		sc_buf_add_bytes(out, (const char *)r->attachments, r->attachment_bytes);
	sc_buf_fill(out, '\0', -(size_t)r->attachment_bytes % 8);
}

/* A finding as it is without the other parts of its analysis. */
static struct sc_finding alone(const struct sc_finding *f)
{
	struct sc_finding own = *f;

	own.suppression = own.number = own.leader = own.moment = own.remark = 0;
	own.stalls = own.stall_count = 0;
	return own;
}

void sc_found_add(struct sc_found *f, const struct sc_report *r, const struct sc_finding *finding)
{
	struct sc_finding own = alone(finding);
	uint64_t ops[SC_FINDING_OPS];
	unsigned count = sc_finding_ops(finding, ops);
	struct entry entry = {0};
	struct sc_buf bytes = {0};

	if (*f->path && f->fd < 0)
		begin(f, r->reader);
	if (f->fd < 0)
		return;
	sc_buf_add_bytes(&bytes, (const char *)&entry, sizeof(entry));
	sc_buf_add_bytes(&bytes, (const char *)&own, sizeof(own));
	for (unsigned i = 0; i < count; i++) {
		const struct sc_record *record = sc_analysis_record(r->analysis, ops[i]);

		if (!record)
			continue;
		add_record(&bytes, record);
		entry.records++;
	}
	entry.bytes = (uint32_t)bytes.bytes;
	memcpy(bytes.text, &entry, sizeof(entry));
	put(f, &bytes);
	sc_buf_fini(&bytes);
}

/* ---- read ---- */

/* An entry of the file, all of which was checked. */
struct taken {
	struct sc_finding finding;
	struct sc_record records[SC_FINDING_OPS]; /* attachments are borrowed from the file */
	size_t count;
};

static bool is_side(const struct sc_side *s)
{
	return s->mode <= SC_SIDE_CALL && s->known <= SC_KNOWN_PARAMETER &&
	       s->how <= SC_HOW_RECORDED && s->reason < SC_REASONS;
}

static bool is_finding(const struct sc_finding *f)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i] && !sc_rule_find(f->causes[i]))
			return false;
	return sc_rule_find(f->rule) && f->severity <= SC_ERROR && f->confidence <= SC_PROVEN &&
	       f->doubt < SC_DOUBTS && f->sides >= 1 && f->sides <= 2 && f->reach < SC_REACHES &&
	       f->fix < SC_FIXES && f->timing < SC_TIMINGS && f->count && is_side(&f->side[0]) &&
	       is_side(&f->side[1]);
}

/* Takes the record at `*at`; false if it makes no sense. */
static bool take_record(const char *text, size_t end, size_t *at, struct sc_record *out)
{
	struct kept_record kept;
	struct sc_checked checked = {0};
	const uint8_t *attached = (const uint8_t *)text + *at + sizeof(kept);

	if (end - *at < sizeof(kept))
		return false;
	memcpy(&kept, text + *at, sizeof(kept));
	*at += sizeof(kept);
	if (kept.attachment_bytes > end - *at || !sc_check_op(&kept.op) ||
	    (kept.attachment_bytes &&
	     (!sc_check_attachments(attached, (uint32_t)kept.attachment_bytes, &checked) ||
	      checked.used > kept.attachment_bytes)))
		return false;
	*out = (struct sc_record){.op = kept.op,
				  .sequence = kept.sequence,
				  .attachments = attached,
				  .attachment_bytes = checked.used};
	*at += (kept.attachment_bytes + 7) & ~(size_t)7;
	return *at <= end;
}

/* Takes the entry at `*at`; false at the end, or where the rest makes no sense. */
static bool take_entry(const char *text, size_t bytes, size_t *at, struct taken *out)
{
	struct entry entry;
	size_t end;

	if (bytes - *at < sizeof(entry) + sizeof(out->finding))
		return false;
	memcpy(&entry, text + *at, sizeof(entry));
	if (entry.bytes < sizeof(entry) + sizeof(out->finding) || entry.bytes > bytes - *at ||
	    entry.bytes % 8 || entry.records > SC_FINDING_OPS)
		return false;
	end = *at + entry.bytes;
	*at += sizeof(entry);
	memcpy(&out->finding, text + *at, sizeof(out->finding));
	*at += sizeof(out->finding);
	out->finding = alone(&out->finding);
	for (out->count = 0; out->count < entry.records; out->count++)
		if (!take_record(text, end, at, &out->records[out->count]))
			return false;
	return *at == end && is_finding(&out->finding);
}

/* Of the same finding the last entry counts: it became surer. */
static void take_all(struct sc_analysis *a, const char *text, size_t bytes,
		     struct sc_judged_part *cut)
{
	SC_VECTOR(struct taken) all = {0};
	struct sc_u64_map by_identity = {0}; /* index + 1 */
	size_t at = sizeof(struct head);
	struct taken next;

	while (take_entry(text, bytes, &at, &next)) {
		uint64_t *index = sc_u64_map_get(&by_identity, next.finding.identity);

		if (!*index)
			sc_vector_push(&all, next);
		else
			all.items[*index - 1] = next;
		*index = *index ? *index : all.count;
	}
	for (size_t i = 0; i < all.count; i++)
		sc_analysis_adopt(a, &all.items[i].finding, all.items[i].records,
				  all.items[i].count);
	cut->findings = all.count;
	sc_vector_fini(&all);
	sc_u64_map_fini(&by_identity);
}

/* The first time that is known of what is left. */
struct border {
	uint64_t given; /* slots */
	uint64_t time_ns;
};

static bool is_after(void *data, const struct sc_op *op, uint64_t sequence)
{
	const struct border *b = data;

	return !b->time_ns && sequence >= b->given && op->time_ns;
}

static void take_time(void *data, const struct sc_record *record)
{
	struct border *b = data;

	b->time_ns = record->op.time_ns;
}

/* At least a moment, so that the part is not unsaid. */
static uint64_t find_end(struct sc_reader *r)
{
	struct border border = {.given = sc_reader_given(r)};
	uint64_t start_ns = sc_reader_header(r)->start_ns;

	sc_reader_visit(
		r, &(struct sc_visit){.is_wanted = is_after, .take = take_time, .data = &border});
	return border.time_ns > start_ns ? border.time_ns - start_ns : 1;
}

void sc_found_adopt(struct sc_analysis *a, struct sc_reader *r, const char *trace)
{
	struct sc_judged_part cut = {.to_ns = find_end(r)};
	struct head head = head_of(r);
	char path[PATH_MAX], *text;
	size_t bytes;

	if (name(path, trace) && sc_kept_is_file(path) &&
	    !sc_text_file_read_most(path, MOST, &text, &bytes)) {
		if (bytes >= sizeof(head) && !memcmp(text, &head, sizeof(head)))
			take_all(a, text, bytes, &cut);
		free(text);
	}
	sc_analysis_note_cut(a, &cut);
}
