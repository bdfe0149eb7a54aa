/* streamcheck doctor: what is installed, which back ends work here, and what to do next. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "cmds/command.h"
#include "cmds/run/device.h"
#include "cmds/run/file_facts.h"
#include "cmds/files/install.h"
#include "cmds/standard_output.h"
#include "cmds/run/program.h"
#include "cmds/run/refusal.h"

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

static void print_driver(struct sc_buf *out, const struct sc_gpu *gpu, int err)
{
	if (err)
		sc_buf_printf(out, "%-12s cannot be read: %s\n", "driver", strerror(-err));
	else if (!gpu->has_driver)
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

/* What is printed of a program, and what comes of it. */
struct examined {
	const char *next; /* what to do */
	bool works;
};

static struct examined print_runtime(struct sc_buf *out, const struct sc_program *program,
				     const struct sc_gpu *gpu, const struct sc_install *install)
{
	struct sc_refusal refusal;

	if (sc_refusal_find(&refusal, install, program)) {
		line(out, "", refusal.why);
		line(out, "", "so it does not run on the simulated device, only on a GPU");
		return (struct examined){gpu->devices ? "streamcheck run -- PROGRAM" : refusal.next,
					 gpu->devices > 0};
	}
	if (program->unread)
		sc_buf_printf(
			out, "%-12s cannot be read (%s): which CUDA runtime it uses is not known\n",
			"", strerror(program->unread));
	else if (!program->has_shared_cudart)
		line(out, "",
		     "names no CUDA runtime: a script, a driver API program, or one that loads it "
		     "later; it may run on either device");
	else
		sc_buf_printf(out,
			      "%-12s uses the shared CUDA runtime %s: runs on a GPU and on the "
			      "simulated device\n",
			      "", program->runtime);
	if (program->has_rpath)
		line(out, "",
		     "has a DT_RPATH, which the loader prefers to the simulated runtime: "
		     "link with -Wl,--enable-new-dtags");
	return (struct examined){gpu->devices ? "streamcheck run -- PROGRAM"
					      : "streamcheck run --device=sim -- PROGRAM",
				 1};
}

/* A script's facts are those of its interpreter, but for the lines. */
static const char *print_facts(struct sc_buf *out, const char *path)
{
	struct sc_file_facts facts;
	const char *name;

	sc_file_facts_read(&facts, path);
	for (int depth = 0; *facts.interpreter && depth < SC_SCRIPTS_MAX; depth++) {
		char interpreter[PATH_MAX];

		memcpy(interpreter, facts.interpreter, sizeof(interpreter));
		name = strrchr(interpreter, '/');
		name = name ? name + 1 : interpreter;
		sc_buf_printf(out, "%-12s is a script of %s%s\n", "", interpreter,
			      strncmp(name, "python", strlen("python")) != 0
				      ? ""
				      : ": its extensions decide which CUDA runtime it uses "
					"(docs/user/python.md)");
		sc_file_facts_read(&facts, interpreter);
		facts.lacks_lines = facts.is_stripped = 0;
	}
	if (*facts.missing) {
		sc_buf_printf(out, "%-12s is a script of %s, which is not there\n", "",
			      facts.missing);
		return "correct the first line of the script";
	}
	return sc_file_facts_print(out, &facts, "             ");
}

/* A file that cannot be started as it is. */
static struct examined print_unstartable(struct sc_buf *out, const char *name, int err)
{
	size_t bytes = strlen(name);
	struct sc_file_facts facts;
	const char *next;
	char why[PATH_MAX + 128];

	sc_program_describe_failure(why, sizeof(why), name, err);
	sc_buf_printf(out, "%-12s %s: %s\n", "program", name, why);
	sc_file_facts_read(&facts, name);
	next = sc_file_facts_print(out, &facts, "             ");
	if (!next && bytes > 3 && !strcmp(name + bytes - 3, ".py"))
		next = "a script of Python is started by its interpreter: streamcheck run -- "
		       "python3 SCRIPT.py";
	return (struct examined){next ? next : "give the path of an executable program", 0};
}

/* Why this program can or cannot run on each device. */
static struct examined print_program(struct sc_buf *out, const char *name, const struct sc_gpu *gpu,
				     const struct sc_install *install)
{
	struct sc_program program;
	int err = sc_program_find(&program, name);
	const char *stopped;

	if (err)
		return print_unstartable(out, name, err);
	sc_buf_printf(out, "%-12s %s\n", "program", program.path);
	stopped = print_facts(out, program.path);
	if (stopped)
		return (struct examined){stopped, 0};
	return print_runtime(out, &program, gpu, install);
}

/* The command has no options, and looks at one program. */
static void check_arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-')
			sc_die("doctor: unknown option \"%s\"; usage: streamcheck doctor [PROGRAM]",
			       argv[i]);
	if (argc > 2)
		sc_die("doctor: one program at a time, not also %s; usage: streamcheck doctor "
		       "[PROGRAM]",
		       argv[2]);
}

int sc_cmd_doctor(int argc, char **argv)
{
	struct sc_install install;
	struct sc_buf out = {0};
	struct examined examined;
	struct sc_gpu gpu;
	int err;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return sc_command_print_help(sc_command_find("doctor"));
	check_arguments(argc, argv);
	sc_install_find(&install);
	err = sc_device_ask(&gpu);
	print_install(&out, &install);
	print_driver(&out, &gpu, err);
	print_cupti(&out);
	sc_buf_printf(&out, "%-12s recorder: ready; GPU: %s; simulated device: %s\n", "back ends",
		      gpu.devices ? "works" : "none here",
		      sc_install_has_simulator(&install) ? "ready" : "missing");
	examined = argc > 1 ? print_program(&out, argv[1], &gpu, &install)
			    : (struct examined){gpu.devices ? "streamcheck run -- PROGRAM"
							    : "streamcheck doctor PROGRAM reports "
							      "whether the simulated device can be "
							      "used",
						1};
	if (!gpu.devices && !sc_install_has_simulator(&install))
		examined = (struct examined){"install streamcheck as a whole tree: without a GPU "
					     "the simulated device is needed",
					     0};
	line(&out, "next", examined.next);
	return sc_print_and_free(&out) || !examined.works;
}
