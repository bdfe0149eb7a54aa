/* NVRTC and nvJitLink: wrappers that note what machine code was made of. */
#include "interposer/library/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include "interposer/core/arena.h"
#include "interposer/core/raw.h"
#include "interposer/core/real.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/library/function.h"
#include "interposer/library/relink.h"
#include "interposer/object/image.h"
#include "interposer/object/origin.h"
#include "interposer/object/text_cache.h"

#define EXPORT	       __attribute__((visibility("default")))
#define INTERNAL_ERROR 11 /* of NVRTC */
#define ANY_INPUT      10 /* of nvJitLink: it looks itself what it got */

/* Kinds of input of nvJitLink that are device code by themselves: machine code, PTX, fatbin. */
#define IMAGE_INPUTS (1u << 1 | 1u << 2 | 1u << 4 | 1u << ANY_INPUT)

/* Whether what is made is to be noted. Code may be compiled before the driver is used, so this
 * begins a session. */
static bool begin_note(void)
{
	if (sc_self.busy)
		return false;
	sc_session_start();
	if (!sc_session_is_live() || !sc_session.options.images)
		return false;
	sc_self.busy++;
	return true;
}

static void end_note(int saved)
{
	sc_self.busy--;
	errno = saved;
}

/* ---- NVRTC ---- */

/* The functions of the library that a function is from. */
struct nvrtc {
	int (*get_size)(void *program, size_t *bytes);
	int (*get_text)(void *program, char *text);
};

static bool find_functions(void *function, struct nvrtc *out)
{
	Dl_info info;
	void *library = dladdr(function, &info) && info.dli_fname
				? SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
				: NULL;

	if (!library)
		return false;
	out->get_size = (int (*)(void *, size_t *))sc_real_dlsym()(library, "nvrtcGetPTXSize");
	out->get_text = (int (*)(void *, char *))sc_real_dlsym()(library, "nvrtcGetPTX");
	dlclose(library); /* it was loaded before, and stays so */
	return out->get_size && out->get_text;
}

static void note_compiled(void *function, void *program, const char *code)
{
	struct nvrtc nvrtc = {NULL, NULL};
	size_t bytes = 0;
	char *text;

	if (!find_functions(function, &nvrtc) || nvrtc.get_size(program, &bytes) || bytes < 2 ||
	    bytes > SC_IMAGES_MOST)
		return;
	text = sc_arena_map(bytes, MAP_PRIVATE);
	if (!text)
		return;
	if (!nvrtc.get_text(program, text)) {
		struct sc_image_identity identity = sc_image_identify(code);

		sc_origin_of_text(identity, text, bytes);
		sc_text_cache_keep(identity, text, bytes);
	}
	sc_raw_unmap(text, bytes);
}

static int get_code(int (*real)(void *, char *), void *program, char *code)
{
	int status = real(program, code), saved = errno;

	if (!status && begin_note()) {
		note_compiled((void *)real, program, code);
		end_note(saved);
	}
	return status;
}

/* The function that the program got when it looked this one up. */
#define LOOKED_UP(name) \
	((typeof(&sc_compiler_##name))atomic_load(&sc_core_functions.name.looked_up))

int sc_compiler_nvrtcGetCUBIN(void *program, char *code)
{
	return get_code(LOOKED_UP(nvrtcGetCUBIN), program, code);
}

EXPORT int nvrtcGetCUBIN(void *program, char *code);
EXPORT int nvrtcGetCUBIN(void *program, char *code)
{
	typeof(&nvrtcGetCUBIN) real =
		sc_function_find(&sc_core_functions.nvrtcGetCUBIN, __builtin_return_address(0));

	return real ? get_code(real, program, code) : INTERNAL_ERROR;
}

/* ---- nvJitLink ---- */

int sc_compiler_nvJitLinkCreate(void **link, uint32_t count, const char **options)
{
	int status = LOOKED_UP(nvJitLinkCreate)(link, count, options), saved = errno;

	if (!status && begin_note()) {
		sc_origin_begin(*link);
		sc_relink_begin((void *)LOOKED_UP(nvJitLinkCreate), *link, count, options);
		end_note(saved);
	}
	return status;
}

static bool is_image(int type)
{
	return type >= 0 && type <= ANY_INPUT && IMAGE_INPUTS >> type & 1;
}

int sc_compiler_nvJitLinkAddData(void *link, int type, const void *data, size_t bytes,
				 const char *name)
{
	int status = LOOKED_UP(nvJitLinkAddData)(link, type, data, bytes, name), saved = errno;

	if (!status && begin_note()) {
		sc_origin_add(link, is_image(type) ? data : NULL, bytes);
		if (data)
			sc_relink_add(link, type, data, bytes, name);
		end_note(saved);
	}
	return status;
}

int sc_compiler_nvJitLinkAddFile(void *link, int type, const char *path)
{
	int status = LOOKED_UP(nvJitLinkAddFile)(link, type, path), saved = errno;

	if (!status && begin_note()) {
		sc_origin_add_file(link, is_image(type) ? path : NULL);
		sc_relink_add(link, type, NULL, 0, path);
		end_note(saved);
	}
	return status;
}

int sc_compiler_nvJitLinkGetLinkedCubin(void *link, void *code)
{
	int status = LOOKED_UP(nvJitLinkGetLinkedCubin)(link, code), saved = errno;

	if (!status && begin_note()) {
		if (!sc_relink_end(link, code))
			sc_origin_end(link, code);
		end_note(saved);
	}
	return status;
}

int sc_compiler_nvJitLinkDestroy(void **link)
{
	const void *old = link ? *link : NULL;
	int status = LOOKED_UP(nvJitLinkDestroy)(link), saved = errno;

	if (!status && begin_note()) {
		sc_relink_forget(old);
		end_note(saved);
	}
	return status;
}
