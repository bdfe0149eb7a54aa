/* Descriptors by which threads synchronize: which file each stands for. */
#include "interposer/sync/descriptor.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/module.h"

struct sc_descriptors sc_descriptors;

/* Kinds. */
#define PIPE	 (UINT64_C(1) << 60)
#define SOCKET	 (UINT64_C(2) << 60)
#define EVENT	 (UINT64_C(3) << 60)
#define MOST_FDS (1 << 28)

/* ---- pairs of sockets ---- */

static bool is_socket(int fd, struct stat *s)
{
	return !sc_raw(SYS_fstat, (uint64_t)fd, (uint64_t)s, 0, 0, 0, 0) && S_ISSOCK(s->st_mode);
}

/* No lock: a fork may come while another thread is here. */
void sc_descriptor_pair(const int ends[2])
{
	struct sc_socket_pairs *p = &sc_descriptors.pairs;
	struct sc_socket_pair *pair;
	struct stat s[2];

	if (!is_socket(ends[0], &s[0]) || !is_socket(ends[1], &s[1]))
		return;
	pair = &p->pair[atomic_fetch_add(&p->made, 1) % SC_SOCKET_PAIRS];
	atomic_store(&pair->first, 0);
	atomic_store(&pair->second, 0);
	atomic_store(&pair->second, s[1].st_ino);
	atomic_store(&pair->first, s[0].st_ino);
}

/* The inode at the other end, or 0. */
static uint64_t peer_of(uint64_t inode)
{
	struct sc_socket_pairs *p = &sc_descriptors.pairs;
	unsigned made = atomic_load(&p->made);

	for (unsigned i = 0; i < SC_SOCKET_PAIRS && i < made; i++) {
		uint64_t first = atomic_load(&p->pair[i].first);
		uint64_t second = atomic_load(&p->pair[i].second);

		if (!first || first != atomic_load(&p->pair[i].first))
			continue; /* another pair takes the place */
		if (first == inode || second == inode)
			return first == inode ? second : first;
	}
	return 0;
}

/* ---- kinds of files ---- */

/* /proc/self/fd/N, without libc. */
static void write_path(char *to, int fd)
{
	static const char folder[] = "/proc/self/fd/";
	char digits[12];
	unsigned n = 0;

	memcpy(to, folder, sizeof(folder));
	to += sizeof(folder) - 1;
	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		*to++ = digits[--n];
	*to = '\0';
}

static bool is_eventfd(int fd)
{
	static const char name[] = "anon_inode:[eventfd]";
	char path[32], link[sizeof(name)];
	long length;

	write_path(path, fd);
	length = sc_raw(SYS_readlink, (uint64_t)path, (uint64_t)link, sizeof(link), 0, 0, 0);
	return length == sizeof(name) - 1 && !memcmp(link, name, sizeof(name) - 1);
}

static struct sc_descriptor both(uint64_t number)
{
	return (struct sc_descriptor){number, number};
}

static struct sc_descriptor of_pipe(const struct stat *s)
{
	if (s->st_ino >> 32 || s->st_dev >> 24)
		return both(0);
	return both(PIPE | s->st_dev << 32 | s->st_ino);
}

/* What is written to a socket is read from its peer. */
static struct sc_descriptor of_socket(const struct stat *s)
{
	uint64_t peer = peer_of(s->st_ino);

	return peer ? (struct sc_descriptor){SOCKET | s->st_ino, SOCKET | peer} : both(0);
}

static struct sc_descriptor look_up(int fd, unsigned birth, const struct stat *s)
{
	if (S_ISFIFO(s->st_mode))
		return of_pipe(s);
	if (S_ISSOCK(s->st_mode))
		return of_socket(s);
	if (!(s->st_mode & S_IFMT) && is_eventfd(fd))
		return both(EVENT | (uint64_t)birth << 28 | (uint64_t)fd);
	return both(0);
}

/* ---- what is kept ---- */

static struct sc_descriptor_slot *slot_of(int fd)
{
	return &sc_descriptors.slot[(unsigned)fd % SC_DESCRIPTORS];
}

static bool is_kept(struct sc_descriptor_slot *slot, int fd, struct sc_descriptor *d)
{
	/* acquire: pairs with the last release in `keep` */
	unsigned version = atomic_load_explicit(&slot->version, memory_order_acquire);

	if (version & 1 || atomic_load_explicit(&slot->fd, memory_order_relaxed) != fd + 1)
		return false;
	d->in = atomic_load_explicit(&slot->in, memory_order_relaxed);
	d->out = atomic_load_explicit(&slot->out, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&slot->version, memory_order_relaxed) == version;
}

static void keep(struct sc_descriptor_slot *slot, int fd, struct sc_descriptor d)
{
	atomic_fetch_add_explicit(&slot->version, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&slot->fd, fd + 1, memory_order_relaxed);
	atomic_store_explicit(&slot->in, d.in, memory_order_relaxed);
	atomic_store_explicit(&slot->out, d.out, memory_order_relaxed);
	/* release: pairs with the acquire in `is_kept` */
	atomic_fetch_add_explicit(&slot->version, 1, memory_order_release);
}

struct sc_descriptor sc_descriptor_find(int fd)
{
	struct sc_descriptor_slot *slot = slot_of(fd);
	struct sc_descriptor d = {0, 0};
	struct stat s;
	unsigned birth;

	if (fd < 0 || fd >= MOST_FDS || is_kept(slot, fd, &d) || !sc_session_is_ours())
		return d;
	birth = atomic_load(&slot->birth);
	if (sc_raw(SYS_fstat, (uint64_t)fd, (uint64_t)&s, 0, 0, 0, 0))
		return d; /* not open; nothing reports that it is opened */
	d = look_up(fd, birth, &s);
	sc_lock_get(&sc_descriptors.lock);
	keep(slot, fd, d);
	if (atomic_load(&slot->birth) != birth) /* it was closed meanwhile */
		atomic_store(&slot->fd, 0);
	sc_lock_put(&sc_descriptors.lock);
	return d;
}

/* No lock: a handler that closes may have interrupted its holder. */
void sc_descriptor_forget(int fd)
{
	struct sc_descriptor_slot *slot = slot_of(fd);

	if (fd < 0 || fd >= MOST_FDS)
		return;
	atomic_fetch_add(&slot->birth, 1);
	atomic_store(&slot->fd, 0);
}

void sc_descriptor_close(int fd)
{
	if (sc_session_is_ours())
		sc_descriptor_forget(fd);
}

/* ---- the module ---- */

/* Descriptors that stand for one file still do in the child. */
const struct sc_module sc_module_descriptor = {.state = &sc_descriptors,
					       .bytes = offsetof(struct sc_descriptors, pairs)};
