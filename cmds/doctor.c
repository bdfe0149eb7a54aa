/* streamcheck doctor: what is installed, which back ends work here, and what to do next. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "cmds/command.h"
#include "cmds/device.h"
#include "cmds/install.h"
#include "cmds/print.h"
#include "cmds/program.h"
#include "cmds/refusal.h"

static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
					  "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};

static void line(struct sc_buf *out, const char *label, const char *text)
{
	sc_buf_printf(out, "%-12s %s\n", label, text);
}

static void print_install(struct sc_buf *out, const struct sc_install *install)
{
	bool has_simulator = sc_install_has_simulator(install);

	line(out, "streamcheck", SC_VERSION);
	line(out, "library", install->library);
	sc_buf_printf(out, "%-12s %s%s\n", "simulator", has_simulator ? "" : "not installed at ",
		      install->simulator);
}

static void print_driver(struct sc_buf *out, const struct sc_gpu *gpu)
{
	if (!gpu->has_driver)
		line(out, "driver", "no libcuda.so.1: no NVIDIA driver is installed");
	else
		sc_buf_printf(out, "%-12s libcuda.so.1, CUDA %d.%d, %d device%s\n", "driver",
			      gpu->version / 1000, gpu->version % 1000 / 10, gpu->devices,
			      gpu->devices == 1 ? "" : "s");
}

static void print_cupti(struct sc_buf *out)
{
	for (size_t i = 0; i < sizeof(cupti_names) / sizeof(*cupti_names); i++) {
		void *library = dlopen(cupti_names[i], RTLD_LAZY | RTLD_LOCAL);
		struct link_map *map = NULL;

		if (!library)
			continue;
		if (!dlinfo(library, RTLD_DI_LINKMAP, &map) && map)
			line(out, "CUPTI", map->l_name);
		return; /* closed at the end only: closing it leaks its memory */
	}
	line(out, "CUPTI",
	     "not found; needed only for CUDA calls made in callbacks of programs with the "
	     "static runtime. Put its folder into LD_LIBRARY_PATH");
}

/* Why this program can or cannot run on each device. Returns what to do next. */
static const char *print_program(struct sc_buf *out, const char *name, const struct sc_gpu *gpu,
				 const struct sc_install *install)
{
	struct sc_refusal refusal;
	struct sc_program program;
	int err = sc_program_find(&program, name);

	if (err) {
		sc_buf_printf(out, "%-12s %s: %s\n", "program", name, strerror(-err));
		return "give the path of an executable program";
	}
	sc_buf_printf(out, "%-12s %s\n", "program", program.path);
	if (sc_refusal_find(&refusal, install, &program)) {
		line(out, "", refusal.why);
		line(out, "", "so it does not run on the simulated device, only on a GPU");
		return gpu->devices ? "streamcheck run -- PROGRAM" : refusal.next;
	}
	if (!program.has_shared_cudart)
		line(out, "",
		     "names no CUDA runtime: a script, a driver API program, or one that loads it "
		     "later; it may run on either device");
	else
		sc_buf_printf(out,
			      "%-12s uses the shared CUDA runtime %s: runs on a GPU and on the "
			      "simulated device\n",
			      "", program.runtime);
	return gpu->devices ? "streamcheck run -- PROGRAM"
			    : "streamcheck run --device=sim -- PROGRAM";
}

int sc_cmd_doctor(int argc, char **argv)
{
	struct sc_install install;
	struct sc_buf out = {0};
	const char *next;
	struct sc_gpu gpu;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return sc_command_print_help(sc_command_find("doctor"));
	sc_install_find(&install);
	sc_device_ask(&gpu);
	print_install(&out, &install);
	print_driver(&out, &gpu);
	print_cupti(&out);
	sc_buf_printf(&out, "%-12s recorder: ready; GPU: %s; simulated device: %s\n", "back ends",
		      gpu.devices ? "works" : "none here",
		      sc_install_has_simulator(&install) ? "ready" : "missing");
	next = gpu.devices ? "streamcheck run -- PROGRAM"
			   : "streamcheck doctor PROGRAM reports whether the simulated device can "
			     "be used";
	if (argc > 1)
		next = print_program(&out, argv[1], &gpu, &install);
	if (!gpu.devices && !sc_install_has_simulator(&install))
		next = "install streamcheck as a whole tree: without a GPU the simulated device is "
		       "needed";
	line(&out, "next", next);
	return sc_print_and_free(&out);
}
