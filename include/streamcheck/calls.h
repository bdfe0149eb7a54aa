/* The calls behind streamcheck.h: a table that libstreamcheck.so offers by name, found once. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a launch uses bytes. */
enum streamcheck_mode {
	STREAMCHECK_READ = 1,
	STREAMCHECK_WRITE = 2,
	STREAMCHECK_UPDATE = 3, /* reads and writes */
	STREAMCHECK_ATOMIC = 4
};

/* For pools that hand memory out in no stream's order. */
#define STREAMCHECK_NO_STREAM ((const void *)-1)

/* What libstreamcheck.so offers; grows at its end, `bytes` says how far it reaches. */
struct streamcheck_calls {
	size_t bytes;
	void (*name_stream)(const void *stream, const char *name);
	void (*name_event)(const void *event, const char *name);
	void (*name_memory)(const void *start, size_t bytes, const char *name);
	void (*declare)(const char *text);
	/* `rows` pieces of `width` bytes, `pitch` bytes apart */
	void (*launch)(const void *start, size_t width, size_t rows, size_t pitch, int mode);
	void (*benign)(const void *start, size_t bytes, const char *reason);
	void (*quiet_begin)(const char *rules, const char *reason);
	void (*quiet_end)(void);
	void (*declare_kernel)(const char *pattern, const char *footprint);
	void (*pool_allocate)(const void *start, size_t bytes, const void *stream);
	void (*pool_free)(const void *start, const void *stream);
	void (*pool_use)(const void *start, const void *stream);
	unsigned (*range_begin)(const char *name);
	void (*range_end)(unsigned range);
	void (*window_begin)(void);
	void (*window_end)(void);
};

#ifdef STREAMCHECK_DISABLE
static inline const struct streamcheck_calls *streamcheck_calls(void)
{
	return (const struct streamcheck_calls *)0;
}
#else
#include <dlfcn.h>
#include <string.h>

static inline const struct streamcheck_calls *streamcheck_find(void)
{
	const struct streamcheck_calls *(*offer)(void);
	void *found = dlsym((void *)0, "streamcheck_offer"); /* RTLD_DEFAULT */

	if (!found)
		return (const struct streamcheck_calls *)0;
	memcpy(&offer, &found, sizeof(offer));
	return offer();
}

/* The calls, or a null pointer: the program is not being checked. */
static inline const struct streamcheck_calls *streamcheck_calls(void)
{
	static const struct streamcheck_calls *calls;
	static int is_sought;

	if (!__atomic_load_n(&is_sought, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&calls, streamcheck_find(), __ATOMIC_RELAXED);
		__atomic_store_n(&is_sought, 1, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}
#endif

/* Calls a member of the table if there is one; an older library may offer less. */
#define STREAMCHECK_CALL(member, arguments)                                                 \
	do {                                                                                \
		const struct streamcheck_calls *offered = streamcheck_calls();              \
                                                                                            \
		if (offered && offsetof(struct streamcheck_calls, member) < offered->bytes) \
			offered->member arguments;                                          \
	} while (0)

#ifdef __cplusplus
}
#endif
