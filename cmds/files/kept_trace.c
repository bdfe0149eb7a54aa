/* Kept: a trace packed and unpacked, the newest found. */
#include "cmds/files/kept_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "analyzer/symbol/symbol.h"
#include "base/heap.h"
#include "base/message.h"
#include "cmds/files/folder.h"
#include "reports/output.h"
#include "trace/reader.h"

#define ENDING	  ".sct.zst"
#define LEVEL	  3 /* of packing */
#define CHUNK	  (1 << 20)
#define NAMES_MAX (64 << 20) /* bytes of names */
#define UNKNOWN	  "cannot be unpacked: the file is damaged, or not one that streamcheck kept"

bool sc_kept_name(char out[PATH_MAX], const struct sc_options *o, const char *trace, int process,
		  int rank, unsigned traces)
{
	bool is_file =
		*o->output && strcmp(o->output, "-") != 0 && strncmp(o->output, "/dev/", 5) != 0;
	char path[PATH_MAX] = SC_FOLDER "/report";
	struct stat st;
	size_t used;

	if (!sc_folder_is_wanted(o) || stat(trace, &st) || (uint64_t)st.st_size > SC_KEPT_MAX)
		return 0;
	if (is_file && sc_options_expand_for(o->output, process, rank, path, sizeof(path)))
		return 0;
	used = strlen(path);
	if (!is_file && traces > 1) /* by the name of the report of all */
		snprintf(path + used, sizeof(path) - used, ".%d", (int)getpid());
	return snprintf(out, PATH_MAX, "%s.%d" ENDING, path, process) < PATH_MAX;
}

/* A stream of bytes from one descriptor to another. */
struct pipe {
	int from, to;
	void *in, *out; /* owned: CHUNK bytes each */
};

static void pipe_init(struct pipe *p, int from, int to)
{
	*p = (struct pipe){from, to, sc_heap_xcalloc(1, CHUNK), sc_heap_xcalloc(1, CHUNK)};
}

static void pipe_fini(struct pipe *p)
{
	free(p->in);
	free(p->out);
}

static int read_chunk(const struct pipe *p, ZSTD_inBuffer *in)
{
	ssize_t got;

	do
		got = read(p->from, p->in, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	*in = (ZSTD_inBuffer){p->in, (size_t)got, 0};
	return 0;
}

static int write_chunk(const struct pipe *p, const ZSTD_outBuffer *out)
{
	return sc_output_write_bytes(p->to, out->dst, out->pos);
}

static int pack(const struct pipe *p, ZSTD_CCtx *context)
{
	ZSTD_inBuffer in;
	size_t left;
	int err;

	do {
		err = read_chunk(p, &in);
		if (err)
			return err;
		do {
			ZSTD_outBuffer out = {p->out, CHUNK, 0};

			left = ZSTD_compressStream2(context, &out, &in,
						    in.size ? ZSTD_e_continue : ZSTD_e_end);
			if (ZSTD_isError(left))
				return -EINVAL;
			err = write_chunk(p, &out);
			if (err)
				return err;
		} while (in.pos < in.size || (!in.size && left));
	} while (in.size);
	return 0;
}

static int pack_all(int from, int to)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct pipe p;
	int err;

	if (!context)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	pipe_init(&p, from, to);
	err = pack(&p, context);
	pipe_fini(&p);
	ZSTD_freeCCtx(context);
	return err;
}

static void put_number(unsigned char out[4], uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		out[i] = (unsigned char)(number >> 8 * i);
}

static uint32_t number_at(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The names, packed once more inside of a frame that unpacking the trace steps over. */
static int write_names(int to, const struct sc_symbols *names)
{
	struct sc_buf text = {0};
	unsigned char head[8], *packed;
	size_t room, bytes;
	int err = 0;

	sc_symbols_save(names, &text);
	if (!text.bytes || text.bytes > NAMES_MAX) {
		sc_buf_fini(&text);
		return 0;
	}
	room = ZSTD_compressBound(text.bytes);
	packed = sc_heap_xcalloc(1, room);
	bytes = ZSTD_compress(packed, room, text.text, text.bytes, LEVEL);
	put_number(head, ZSTD_MAGIC_SKIPPABLE_START);
	put_number(head + 4, (uint32_t)bytes);
	if (!ZSTD_isError(bytes))
		err = sc_output_write_bytes(to, head, sizeof(head));
	if (!ZSTD_isError(bytes) && !err)
		err = sc_output_write_bytes(to, packed, bytes);
	free(packed);
	sc_buf_fini(&text);
	return err;
}

/* Of bytes that may be anything. */
static void read_names(const unsigned char *file, size_t bytes, struct sc_symbols *names)
{
	size_t at = ZSTD_findFrameCompressedSize(file, bytes), size;
	unsigned long long wanted;
	char *text;

	if (ZSTD_isError(at) || bytes - at < 8 ||
	    number_at(file + at) != ZSTD_MAGIC_SKIPPABLE_START)
		return;
	size = number_at(file + at + 4);
	file += at + 8;
	if (size > bytes - at - 8)
		return;
	wanted = ZSTD_getFrameContentSize(file, size);
	if (wanted == ZSTD_CONTENTSIZE_UNKNOWN || wanted == ZSTD_CONTENTSIZE_ERROR || !wanted ||
	    wanted > NAMES_MAX)
		return;
	text = sc_heap_xcalloc(1, (size_t)wanted);
	size = ZSTD_decompress(text, (size_t)wanted, file, size);
	if (!ZSTD_isError(size))
		sc_symbols_load(names, text, size);
	free(text);
}

int sc_kept_write(const char *from, const char *to, const struct sc_symbols *names)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), err;
	struct sc_output out;

	if (in < 0)
		return -errno;
	err = sc_output_open(&out, to, 0600);
	if (!err) {
		err = pack_all(in, out.fd);
		if (!err)
			err = write_names(out.fd, names);
		if (err)
			sc_output_drop(&out);
		else
			err = sc_output_close(&out);
	}
	close(in);
	return err;
}

/* Of bytes that may be anything; no more than SC_KEPT_MAX of them come out. */
static int unpack(const struct pipe *p, ZSTD_DStream *stream)
{
	uint64_t all = 0;
	ZSTD_inBuffer in;
	size_t left = 1;
	int err;

	for (;;) {
		err = read_chunk(p, &in);
		if (err || !in.size)
			return err || left ? -EINVAL : 0;
		while (in.pos < in.size) {
			ZSTD_outBuffer out = {p->out, CHUNK, 0};

			left = ZSTD_decompressStream(stream, &out, &in);
			all += out.pos;
			if (ZSTD_isError(left) || all > SC_KEPT_MAX)
				return -EINVAL;
			err = write_chunk(p, &out);
			if (err)
				return err;
		}
	}
}

/* Returns a descriptor of the trace in memory, or -errno. */
static int unpack_all(int from)
{
	int to = memfd_create("trace", MFD_CLOEXEC), err;
	ZSTD_DStream *stream = ZSTD_createDStream();
	struct pipe p;

	if (to < 0 || !stream) {
		err = to < 0 ? -errno : -ENOMEM;
	} else {
		pipe_init(&p, from, to);
		err = unpack(&p, stream);
		pipe_fini(&p);
	}
	ZSTD_freeDStream(stream);
	if (err && to >= 0)
		close(to);
	return err ? err : to;
}

static bool is_packed(int fd)
{
	unsigned char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       number_at(magic) == ZSTD_MAGICNUMBER;
}

void sc_kept_read_names(const char *path, struct sc_symbols *names)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char *file = NULL;
	struct stat st;

	if (fd >= 0 && is_packed(fd) && !fstat(fd, &st) && (uint64_t)st.st_size <= SC_KEPT_MAX)
		file = malloc((size_t)st.st_size);
	if (file && pread(fd, file, (size_t)st.st_size, 0) == st.st_size)
		read_names(file, (size_t)st.st_size, names);
	free(file);
	if (fd >= 0)
		close(fd);
}

static int open_packed(struct sc_reader **out, int fd, char *message, size_t bytes)
{
	char name[32];
	int err, plain = unpack_all(fd);

	*out = NULL;
	if (plain < 0) {
		snprintf(message, bytes, "%s", plain == -EINVAL ? UNKNOWN : strerror(-plain));
		return plain;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", plain);
	err = sc_reader_open(out, name, message, bytes);
	close(plain);
	return err;
}

bool sc_kept_is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A pipe is opened once only: whoever writes to it would lose its reader. */
int sc_kept_open(struct sc_reader **out, const char *path, char *message, size_t bytes)
{
	int fd = sc_kept_is_file(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1, err;
	bool is_ours = fd >= 0 && is_packed(fd);

	if (is_ours)
		err = open_packed(out, fd, message, bytes);
	if (fd >= 0)
		close(fd);
	return is_ours ? err : sc_reader_open(out, path, message, bytes);
}

void sc_kept_choose(char out[PATH_MAX], const char *command, const char *argument)
{
	if (argument) {
		if (snprintf(out, PATH_MAX, "%s", argument) >= PATH_MAX)
			sc_die("%s: %s: %s", command, argument, strerror(ENAMETOOLONG));
	} else if (sc_folder_newest_trace(out)) {
		sc_warn("%s: the trace is %s", command, out);
	} else {
		sc_die("%s: no trace given, and no run kept one here (" SC_FOLDER "/report.*" ENDING
		       "); see streamcheck help %s",
		       command, command);
	}
}

static void add_choice(struct sc_buf *out, const char *name, const char *words, unsigned value)
{
	for (; value && *words; words++)
		value -= *words == '|';
	sc_buf_printf(out, "--%s=%.*s ", name, (int)strcspn(words, "|"), words);
}

void sc_kept_add_options(struct sc_buf *out, const struct sc_options *o)
{
	struct sc_options usual;

	sc_options_init(&usual);
	if (o->profile != usual.profile)
		add_choice(out, "profile", "strict|reference|permissive", (unsigned)o->profile);
	if (o->hosts != usual.hosts)
		add_choice(out, "hosts", "observed|strict", (unsigned)o->hosts);
	if (o->footprints == SC_FOOTPRINTS_NO) /* recorded bytes are in the trace */
		sc_buf_printf(out, "--footprints=no ");
	for (unsigned i = 0; i < o->footprints_file.count; i++)
		sc_buf_printf(out, "--footprints-file=%s ", o->footprints_file.text[i]);
}
