/* Words for ops: what each kind did, in a phrase. */
#include "reports/words/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"
#include "reports/words/short_name.h"
#include "reports/sources/site.h"
#include "reports/utf8.h"
#include "trace/sync.h"

void sc_words_init(struct sc_words *w, const struct sc_report *r, const char *directory)
{
	static const struct sc_report_site nowhere[2];

	*w = (struct sc_words){
		.report = r, .directory = directory, .dialect = sc_dialect_of(nowhere)};
}

void sc_words_count(struct sc_buf *out, uint64_t count, const char *noun)
{
	sc_buf_printf(out, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* Where several could be meant: a number stands for one stream only. */
static void add_device_of(struct sc_buf *out, const struct sc_words *w, const struct sc_named *s)
{
	const struct sc_named *c = sc_names_context(w->report->names, s->context);
	bool is_default = s->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD);

	if (c && w->report->names->devices > 1)
		sc_buf_printf(out, " of device %" PRIu32, c->device);
	if (c && is_default && sc_names_has_sibling(w->report->names, c))
		sc_buf_printf(out, " in context %" PRIu32, s->context);
}

void sc_words_name(struct sc_buf *out, const char *name)
{
	if (!name)
		return;
	sc_buf_add(out, " \"");
	sc_utf8_add_clean(out, name);
	sc_buf_add(out, "\"");
}

void sc_words_stream_name(struct sc_buf *out, const struct sc_words *w, uint32_t stream)
{
	const struct sc_named *s = sc_names_stream(w->report->names, stream);
	const char *name = sc_reader_name(w->report->reader, SC_NAMES_STREAM, stream);

	if (!stream)
		sc_buf_add(out, "the host");
	else if (s && s->flags & SC_FLAG_LEGACY)
		sc_buf_add(out, "the default stream");
	else if (s && s->flags & SC_FLAG_PER_THREAD)
		sc_buf_printf(out, "the default stream of thread %" PRIu32, s->thread);
	else
		sc_buf_printf(out, "stream %" PRIu32, stream);
	sc_words_name(out, name);
	if (s)
		add_device_of(out, w, s);
}

void sc_words_stream(struct sc_buf *out, const struct sc_words *w, uint32_t stream)
{
	const struct sc_named *s = sc_names_stream(w->report->names, stream);

	sc_words_stream_name(out, w, stream);
	if (s && !(s->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD)))
		sc_buf_add(out,
			   s->flags & SC_FLAG_NON_BLOCKING ? " (non-blocking)" : " (blocking)");
}

void sc_words_whole_kernel(struct sc_buf *out, const struct sc_words *w, uint32_t kernel)
{
	char name[SC_DEMANGLE_MAX];

	sc_demangle(sc_reader_function(w->report->reader, kernel), name, sizeof(name));
	sc_utf8_add_clean(out, *name ? name : "of unknown name");
}

void sc_words_kernel(struct sc_buf *out, const struct sc_words *w, uint32_t kernel)
{
	struct sc_buf whole = {0};

	sc_words_whole_kernel(&whole, w, kernel);
	sc_short_name_add(out, sc_buf_text(&whole));
	sc_buf_fini(&whole);
}

void sc_words_clean(struct sc_buf *out, const char *text, size_t bytes)
{
	struct sc_buf plain = {0};

	sc_buf_add_bytes(&plain, text, bytes);
	sc_utf8_add_clean(out, sc_buf_text(&plain));
	sc_buf_fini(&plain);
}

void sc_words_mangled(struct sc_buf *out, const char *name, size_t bytes)
{
	char plain[SC_DEMANGLE_MAX];
	struct sc_buf mangled = {0}, whole = {0};

	sc_buf_add_bytes(&mangled, name, bytes);
	sc_demangle(sc_buf_text(&mangled), plain, sizeof(plain));
	sc_utf8_add_clean(&whole, plain);
	sc_short_name_add(out, sc_buf_text(&whole));
	sc_buf_fini(&whole);
	sc_buf_fini(&mangled);
}

/* Drops what the driver adds to names of its own: cuMemcpyHtoDAsync_v2_ptsz. */
static void add_plain_name(struct sc_buf *out, const char *name)
{
	static const char *const endings[] = {"_ptsz", "_ptds", "_v2", "_v3"};
	size_t bytes = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t ending = strlen(endings[i]);

		if (bytes > ending && !memcmp(name + bytes - ending, endings[i], ending))
			bytes -= ending;
	}
	for (size_t i = 0; i < bytes; i++)
		sc_buf_add_char(out, name[i] > ' ' && name[i] < 0x7F ? name[i] : '?');
}

/* The function that the user called, or else what kind of thing it was. */
static void add_call(struct sc_buf *out, const struct sc_words *w, const struct sc_op *op,
		     const char *otherwise)
{
	const char *driver = sc_reader_string(w->report->reader, op->call);
	struct sc_report_site site;

	sc_site_of(&site, w->report, op);
	if (site.api)
		add_plain_name(out, site.api);
	else if (*driver)
		add_plain_name(out, driver);
	else
		sc_buf_add(out, otherwise);
}

uint32_t sc_words_node(const struct sc_record *record)
{
	uint32_t bytes = 0;
	const struct sc_node *n = sc_record_attachment(record, SC_ATTACH_NODE, &bytes);

	return n && bytes >= sizeof(*n) ? n->index : 0;
}

void sc_words_node_name(struct sc_buf *out, const struct sc_words *w,
			const struct sc_record *record, const char *otherwise)
{
	uint32_t graph, local, node = sc_words_node(record);

	if (sc_names_node(w->report->names, record->op.peer, node, &graph, &local))
		sc_buf_printf(out, "node %" PRIu32 " of graph %" PRIu32, local, graph);
	else
		sc_buf_printf(out, "node %" PRIu32 "%s", node, otherwise);
}

/* Where it runs: a stream, or a place in a graph. */
static void add_in_stream(struct sc_buf *out, const struct sc_words *w,
			  const struct sc_record *record)
{
	if (record->op.flags & SC_FLAG_NODE) {
		sc_buf_add(out, ", ");
		sc_words_node_name(out, w, record, " of a graph");
		return;
	}
	sc_buf_add(out, ", ");
	sc_words_stream(out, w, record->op.stream);
}

/* Bytes that the op writes or reads, pitched ones counted by rows. */
static uint64_t bytes_of(const struct sc_record *record)
{
	uint32_t bytes;
	const struct sc_access *a = sc_record_attachment(record, SC_ATTACH_ACCESSES, &bytes);
	uint64_t written = 0;

	if (!a)
		return record->op.bytes;
	for (uint32_t i = 0; i < bytes / sizeof(*a); i++)
		if (a[i].mode & SC_WRITE)
			written += a[i].width * a[i].rows * a[i].slices;
	return written;
}

static const char *memory_word(unsigned memory)
{
	const char *text = sc_memory_text(memory);

	if (memory == SC_MEM_NONE || memory == SC_MEM_UNKNOWN || !text)
		return "memory";
	return text;
}

/* How an op is described; `noun` replaces the call where the call's name is not known. */
typedef void phrase_fn(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		       const char *noun);

static void add_copy(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		     const char *noun)
{
	const struct sc_op *op = &record->op;

	add_call(out, w, op, noun);
	sc_buf_printf(out, " %s → %s, ", memory_word(op->src_mem), memory_word(op->dst_mem));
	sc_words_count(out, bytes_of(record), "byte");
	add_in_stream(out, w, record);
}

static void add_set(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		    const char *noun)
{
	add_call(out, w, &record->op, noun);
	sc_buf_printf(out, " of %s memory, ", memory_word(record->op.dst_mem));
	sc_words_count(out, bytes_of(record), "byte");
	add_in_stream(out, w, record);
}

static void add_kernel(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		       const char *noun)
{
	sc_buf_printf(out, "%s ", noun);
	sc_words_kernel(out, w, record->op.object);
	add_in_stream(out, w, record);
}

static void add_host_access(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_record *record, const char *noun)
{
	const struct sc_op *op = &record->op;
	unsigned memory = op->kind == SC_OP_HOST_READ ? op->src_mem : op->dst_mem;
	const char *call = sc_reader_string(w->report->reader, op->call);

	if (op->kind == SC_OP_HOST_FREE && op->flags & SC_FLAG_FRAME)
		noun = "leaves the function that has";
	sc_buf_printf(out, "%s %s ", op->callback ? "callback" : "host", noun);
	if (op->bytes) {
		sc_words_count(out, op->bytes, "byte");
		sc_buf_add(out, " of ");
	}
	if (memory != SC_MEM_NONE && memory != SC_MEM_UNKNOWN)
		sc_buf_printf(out, "%s ", memory_word(memory));
	sc_buf_add(out, "memory");
	if (*call) {
		sc_buf_add(out, " in ");
		add_plain_name(out, call);
	}
}

static void add_event_call(struct sc_buf *out, const struct sc_words *w,
			   const struct sc_record *record, const char *noun)
{
	add_call(out, w, &record->op, noun);
	sc_buf_printf(out, " of event %" PRIu32, record->op.object);
	sc_words_name(out, sc_reader_name(w->report->reader, SC_NAMES_EVENT, record->op.object));
	if (record->op.stream || record->op.flags & SC_FLAG_NODE)
		add_in_stream(out, w, record);
}

static void add_stream_call(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_record *record, const char *noun)
{
	add_call(out, w, &record->op, noun);
	sc_buf_add(out, " of ");
	sc_words_stream(out, w, record->op.stream);
}

/* Kinds that are described by their call, with size and stream if they have them. */
static void add_plain(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		      const char *noun)
{
	const struct sc_op *op = &record->op;

	add_call(out, w, op, noun);
	if (op->bytes) {
		sc_buf_add(out, " of ");
		sc_words_count(out, op->bytes, "byte");
	}
	if (op->stream || op->flags & SC_FLAG_NODE)
		add_in_stream(out, w, record);
	if (op->flags & SC_FLAG_IN_CALLBACK)
		sc_buf_add(out, ", inside a callback");
}

/* What a pool of the program does, which is no call of CUDA. */
static void add_piece(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		      const char *noun)
{
	sc_buf_add(out, noun);
	if (record->op.bytes) {
		sc_buf_add(out, " of ");
		sc_words_count(out, record->op.bytes, "byte");
	}
	if (record->op.stream)
		add_in_stream(out, w, record);
}

static void add_instantiation(struct sc_buf *out, const struct sc_words *w,
			      const struct sc_record *record, const char *noun)
{
	add_call(out, w, &record->op, noun);
	sc_buf_add(out, " of ");
	sc_words_count(out, record->op.bytes, "node");
}

static void add_noun(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		     const char *noun)
{
	(void)w;
	(void)record;
	sc_buf_add(out, noun);
}

/* A lock, a signal, or as `noun` says, a file. */
static void add_sync(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record,
		     const char *noun)
{
	bool is_release = record->op.kind == SC_OP_SYNC_RELEASE;

	(void)w;
	if (record->op.value == SC_SYNC_CHANNEL)
		sc_buf_add(out, noun);
	else
		sc_buf_add(out, is_release ? "release of a lock or signal"
					   : "wait for a signal of the host");
}

/* Kinds without a row are described by add_plain and the kind's own name. */
static const struct {
	enum sc_op_kind kind;
	phrase_fn *add;
	const char *noun;
} phrases[] = {
	{SC_OP_COPY, add_copy, "copy"},
	{SC_OP_SET, add_set, "fill"},
	{SC_OP_KERNEL, add_kernel, "kernel"},
	{SC_OP_HOST_READ, add_host_access, "reads"},
	{SC_OP_HOST_WRITE, add_host_access, "writes"},
	{SC_OP_HOST_FREE, add_host_access, "frees"},
	{SC_OP_ALLOC, add_plain, "allocation"},
	{SC_OP_ALLOC_ASYNC, add_plain, "stream-ordered allocation"},
	{SC_OP_FREE, add_plain, "free"},
	{SC_OP_FREE_ASYNC, add_plain, "stream-ordered free"},
	{SC_OP_PIECE, add_piece, "hand-out by a pool"},
	{SC_OP_PIECE_FREE, add_piece, "return to a pool"},
	{SC_OP_PIECE_USE, add_piece, "use that a pool was told of"},
	{SC_OP_PIN, add_plain, "registration"},
	{SC_OP_UNPIN, add_plain, "unregistration"},
	{SC_OP_VMM_MAP, add_plain, "mapping"},
	{SC_OP_VMM_UNMAP, add_plain, "unmapping"},
	{SC_OP_VMM_ACCESS, add_plain, "change of access rights"},
	{SC_OP_STREAM_SYNC, add_stream_call, "synchronization"},
	{SC_OP_STREAM_QUERY, add_stream_call, "query"},
	{SC_OP_STREAM_DESTROY, add_stream_call, "destruction"},
	{SC_OP_CONTEXT_SYNC, add_plain, "synchronization of the whole device"},
	{SC_OP_EVENT_RECORD, add_event_call, "record"},
	{SC_OP_EVENT_WAIT, add_event_call, "stream wait"},
	{SC_OP_EVENT_SYNC, add_event_call, "synchronization"},
	{SC_OP_EVENT_QUERY, add_event_call, "query"},
	{SC_OP_EVENT_DESTROY, add_event_call, "destruction"},
	{SC_OP_HOST_FUNC, add_plain, "host function"},
	{SC_OP_GRAPH_LAUNCH, add_plain, "graph launch"},
	{SC_OP_EXIT, add_noun, "the program ends"},
	{SC_OP_SYNC_ACQUIRE, add_sync, "read of a pipe, socket or eventfd"},
	{SC_OP_STREAM_CREATE, add_stream_call, "creation"},
	{SC_OP_CONTEXT_CREATE, add_plain, "creation of a context"},
	{SC_OP_CONTEXT_DESTROY, add_plain, "destruction of a context"},
	{SC_OP_CONTEXT_RECORD, add_event_call, "record of a whole context"},
	{SC_OP_CONTEXT_WAIT, add_event_call, "wait of a whole context"},
	{SC_OP_EVENT_CREATE, add_event_call, "creation"},
	{SC_OP_EVENT_ELAPSED, add_plain, "question for the time between two events"},
	{SC_OP_CALLBACK_BEGIN, add_plain, "start of a host function"},
	{SC_OP_CALLBACK_END, add_plain, "end of a host function"},
	{SC_OP_CAPTURE_BEGIN, add_stream_call, "start of the capture"},
	{SC_OP_CAPTURE_END, add_stream_call, "end of the capture"},
	{SC_OP_MODULE_LOAD, add_plain, "loading of a module"},
	{SC_OP_MODULE_UNLOAD, add_plain, "unloading of a module"},
	{SC_OP_THREAD_BEGIN, add_plain, "start of a thread"},
	{SC_OP_THREAD_END, add_plain, "end of a thread"},
	{SC_OP_THREAD_JOIN, add_plain, "join of a thread"},
	{SC_OP_VALUE_WRITE, add_plain, "write of a word"},
	{SC_OP_VALUE_WAIT, add_plain, "wait for a word"},
	{SC_OP_ATTACH, add_plain, "attachment of managed memory"},
	{SC_OP_SIGNAL, add_plain, "signal of an external semaphore"},
	{SC_OP_SIGNAL_WAIT, add_plain, "wait for an external semaphore"},
	{SC_OP_SEMAPHORE_DESTROY, add_plain, "destruction of an external semaphore"},
	{SC_OP_GRAPHICS_MAP, add_plain, "mapping of a graphics resource"},
	{SC_OP_GRAPHICS_UNMAP, add_plain, "unmapping of a graphics resource"},
	{SC_OP_PEER_ACCESS, add_plain, "change of peer access"},
	{SC_OP_POOL, add_plain, "creation of a memory pool"},
	{SC_OP_SHARE, add_plain, "handle that processes share"},
	{SC_OP_POOL_ACCESS, add_plain, "change of a memory pool's access rights"},
	{SC_OP_POOL_DESTROY, add_plain, "destruction of a memory pool"},
	{SC_OP_INSTANTIATE, add_instantiation, "instantiation of a graph"},
	{SC_OP_GRAPH_DESTROY, add_plain, "destruction of a graph"},
	{SC_OP_TEXTURE_DESTROY, add_plain, "destruction of a texture or surface object"},
	{SC_OP_GRAPH_UPLOAD, add_plain, "upload of a graph"},
	{SC_OP_SYNC_RELEASE, add_sync, "write to a pipe, socket or eventfd"},
	{SC_OP_SYNC_HOLD, add_noun, "holding of a lock"},
	{SC_OP_AGENT, add_plain, "operation of MPI, UCX, NIXL or NVSHMEM"},
	{SC_OP_AGENT_END, add_plain, "end of an operation of MPI, UCX, NIXL or NVSHMEM"},
	{SC_OP_LIBRARY_STREAM, add_plain, "stream of a library's handle"},
};

/* The words for a kind; for one without a row, its own name. */
static void find_phrase(unsigned kind, phrase_fn **add, const char **noun)
{
	const char *text = sc_op_kind_text(kind);

	*add = add_plain;
	*noun = text ? text : "operation of an unknown kind";
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
		if ((unsigned)phrases[i].kind == kind) {
			*add = phrases[i].add;
			*noun = phrases[i].noun;
			return;
		}
}

void sc_words_op(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record)
{
	phrase_fn *add;
	const char *noun;

	find_phrase(record->op.kind, &add, &noun);
	add(out, w, record, noun);
	sc_words_section(out, w, record->sequence);
}

/* The frame that stands for an op; `site` holds it. */
static const struct sc_frame *frame_of(const struct sc_words *w, uint64_t op,
				       const struct sc_record *record, struct sc_report_site *site)
{
	for (unsigned i = 0; i < SC_WORDS_PARTS; i++)
		if (w->part_ops[i] == op && w->parts[i])
			return w->parts[i];
	if (!record)
		return NULL;
	sc_site_of(site, w->report, &record->op);
	return sc_site_frame(site);
}

void sc_words_call(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record)
{
	const char *noun;
	phrase_fn *add;

	find_phrase(record->op.kind, &add, &noun);
	add_call(out, w, &record->op, noun);
}

void sc_words_actor(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record)
{
	if (record->op.kind != SC_OP_KERNEL) {
		sc_words_call(out, w, record);
		return;
	}
	if (!*sc_reader_function(w->report->reader, record->op.object))
		sc_buf_add(out, "a kernel "); /* of unknown name */
	sc_words_kernel(out, w, record->op.object);
}

/* The same, as something that is done. */
static void add_actor(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record)
{
	sc_buf_add(out, record->op.kind == SC_OP_KERNEL ? "the launch of " : "");
	sc_words_actor(out, w, record);
}

const struct sc_frame *sc_words_spot_frame(const struct sc_words *w, uint64_t op_plus)
{
	struct sc_report_site site;
	const struct sc_frame *frame;

	if (!op_plus)
		return NULL;
	frame = frame_of(w, op_plus - 1, sc_analysis_record(w->report->analysis, op_plus - 1),
			 &site);
	return frame && frame->line && *frame->file ? frame : NULL;
}

/* Whose place is no line of a source, so that a name says more. */
static bool lacks_line(const struct sc_frame *frame)
{
	return !frame || (!frame->is_internal && (!frame->line || !*frame->file));
}

static bool is_host_access(unsigned kind)
{
	return kind == SC_OP_HOST_READ || kind == SC_OP_HOST_WRITE || kind == SC_OP_HOST_FREE;
}

void sc_words_spot(struct sc_buf *out, const struct sc_words *w, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, op);
	struct sc_report_site site;
	const struct sc_frame *frame = frame_of(w, op, record, &site);

	if (record && record->op.kind != SC_OP_EXIT && lacks_line(frame)) {
		if (is_host_access(record->op.kind))
			sc_buf_add(out, "the access");
		else
			add_actor(out, w, record);
		sc_buf_add(out, frame && frame->is_named ? " in " : " at ");
	}
	sc_words_place(out, w, op);
}

void sc_words_place(struct sc_buf *out, const struct sc_words *w, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, op);
	struct sc_report_site site;
	const struct sc_frame *frame = frame_of(w, op, record, &site);

	if (frame && frame->is_internal && record && record->op.kind == SC_OP_HOST_FREE)
		sc_buf_add(out, "the end of the memory");
	else if (frame)
		sc_site_add_place(out, frame, w->directory);
	else if (record && record->op.kind == SC_OP_EXIT)
		sc_buf_add(out, "the end of the program");
	else
		sc_buf_printf(out, "operation %" PRIu64, op);
}

void sc_words_call_at(struct sc_buf *out, const struct sc_words *w, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, op);

	if (record) {
		add_actor(out, w, record);
		sc_buf_add(out, " at ");
	}
	sc_words_place(out, w, op);
}

const char *sc_words_confidence(unsigned confidence)
{
	static const char *const names[] = {
		[SC_POSSIBLE] = "possible", [SC_LIKELY] = "likely", [SC_PROVEN] = "proven"};

	return names[confidence];
}

const char *sc_words_mode(unsigned mode)
{
	switch ((enum sc_side_mode)mode) {
	case SC_SIDE_READ: return "read";
	case SC_SIDE_WRITE: return "write";
	case SC_SIDE_FREE: return "free";
	case SC_SIDE_CALL: return "call";
	}
	return "call";
}
