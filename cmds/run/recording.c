/* Recording: the environment of the program, its end, and what becomes of its traces. */
#include "cmds/run/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/run_id.h"
#include "base/sim_variable.h"
#include "base/window_plan.h"
#include "cmds/run/allocators.h"
#include "cmds/process/child.h"
#include "cmds/process/exit_code.h"
#include "cmds/run/device.h"
#include "cmds/run/file_facts.h"
#include "cmds/files/footprints.h"
#include "cmds/process/interrupt.h"
#include "cmds/process/running.h"
#include "cmds/run/texts.h"
#include "reports/words/words_run.h"

#define ENVIRONMENT_MAX (32 << 10) /* bytes of the options as text */

/* The address sanitizer's shared runtime refuses to start after another library, whatever that
 * library does. The same for programs that the program starts. */
static void allow_sanitizer(void)
{
	sc_child_append("ASAN_OPTIONS", "verify_asan_link_order=0", ':');
}

/* Ranks that the program starts are of one run, whatever their launcher says (base/run_id.h). A
 * rank of a launcher is of that one's run. */
static void name_run(void)
{
	struct timespec now = {0};
	char id[64];

	if (getenv(SC_RUN_ID_VARIABLE) || sc_options_rank() >= 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(id, sizeof(id), "%jx.%lx.%x", (uintmax_t)now.tv_sec, now.tv_nsec,
		 (unsigned)getpid());
	sc_child_set(SC_RUN_ID_VARIABLE, id);
}

/* The trace goes to the folder, whatever the options say, and is put where the user wants it
 * afterwards. */
void sc_recording_prepare_program(void *context)
{
	struct sc_recording *run = context;
	char text[ENVIRONMENT_MAX], process[16], memory[24];

	run->options.trace[0] = '\0';
	if (sc_options_print(&run->options, text, sizeof(text)))
		sc_die("run: the options are longer than %d bytes", ENVIRONMENT_MAX);
	sc_child_set("STREAMCHECK_OPTIONS", text);
	sc_child_set("STREAMCHECK_COLLECT", run->collect.folder);
	sprintf(process, "%d", (int)getpid());
	sc_child_set("STREAMCHECK_ROOT", process);
	name_run();
	sc_child_prepend("LD_PRELOAD", run->install.library, ':');
	allow_sanitizer();
	if (run->options.allocators == SC_ALLOCATORS_VISIBLE)
		sc_allocators_show();
	if (run->options.allocators != SC_ALLOCATORS_OWN)
		sc_child_prepend("PYTHONPATH", run->install.python, ':');
	sc_texts_prepare();
	if (!getenv("NVTX_INJECTION64_PATH")) /* unless another tool wants it */
		sc_child_set("NVTX_INJECTION64_PATH", run->install.library);
	if (run->options.confirm)
		sc_rerun_prepare_first(&run->confirm.rerun);
	if (!run->is_simulated)
		return;
	sc_child_prepend("LD_LIBRARY_PATH", run->install.simulator, ':');
	snprintf(memory, sizeof(memory), "%" PRIu64, run->options.sim_memory);
	/* the variable counts unless the option was given */
	if (!getenv("STREAMCHECK_SIM_MEMORY") ||
	    run->options.is_given[sc_options_find("sim-memory", strlen("sim-memory"))])
		sc_child_set("STREAMCHECK_SIM_MEMORY", memory);
}

static void find_program(struct sc_recording *run, const char *name)
{
	int err = sc_program_find(&run->program, name);
	char why[PATH_MAX + 128];

	if (!err)
		return;
	sc_program_describe_failure(why, sizeof(why), name, err);
	sc_warn("cannot run %s: %s", name, why);
	exit(err == -ENOENT ? SC_EXIT_NOT_FOUND : SC_EXIT_NOT_EXECUTABLE);
}

/* The report of a process that outlives its parent ends where the process is now. */
static void warn_if_alive(int process)
{
	if (process > 0 && sc_running_is_alive(process))
		sc_warn("process %d is still running; what it does from now on is not checked",
			process);
}

/* Where option `trace` wants a trace. Returns 0 or -errno. */
static int name_trace(struct sc_recording *run, int index, char path[PATH_MAX])
{
	int process = sc_collect_process(&run->collect, index);
	int err = sc_options_expand(run->options.trace, process, path, PATH_MAX - 16);
	size_t used = err ? 0 : strlen(path);

	if (!err && index && !strstr(run->options.trace, "%p"))
		snprintf(path + used, PATH_MAX - used, ".%d", process);
	return err;
}

static void keep_trace(struct sc_recording *run, int index)
{
	int process = sc_collect_process(&run->collect, index);
	char path[PATH_MAX];
	int err = name_trace(run, index, path);

	if (!err)
		err = sc_collect_keep(&run->collect, index, path);
	if (!err)
		return;
	sc_warn("cannot keep the trace of process %d as %s: %s", process, run->options.trace,
		strerror(-err));
	run->check.has_failed = 1;
}

/* Compares the ranks of the run. */
static void compare(struct sc_recording *run)
{
	SC_VECTOR(char *) paths = {0};
	char path[PATH_MAX];

	for (int i = 0; i < run->collect.count; i++) {
		if (sc_collect_is_empty(&run->collect, i))
			continue;
		sc_collect_path(&run->collect, i, path);
		sc_vector_push(&paths, sc_heap_xcopy(path, strlen(path)));
	}
	sc_check_compare(&run->check, paths.items, paths.count);
	for (size_t i = 0; i < paths.count; i++)
		free(paths.items[i]);
	sc_vector_fini(&paths);
}

/* No process left a trace. */
static void warn_of_nothing(const struct sc_recording *run)
{
	const char *path = run->program.path, *what, *then;
	struct sc_file_facts facts;

	sc_file_facts_read_run(&facts, path);
	if (sc_file_facts_stop(&facts, &what, &then))
		sc_warn("nothing was recorded: %s %s; %s", path, what, then);
	else
		sc_warn("nothing was recorded: %s made no CUDA call in a process that loaded "
			"streamcheck and could write its trace; LD_PRELOAD has no effect on "
			"statically linked and set-user-id programs, nor on programs that are "
			"started with another environment",
			path);
}

/* The program was found, and yet it cannot be started. */
static void warn_of_start(const struct sc_recording *run, int err)
{
	const char *path = run->program.path;
	struct sc_file_facts facts;

	sc_file_facts_read(&facts, path);
	if (err == -ENOENT && *facts.missing)
		sc_warn("cannot run %s: it is a script of %s, which is not there", path,
			facts.missing);
	else
		sc_warn("cannot run %s: %s", path, strerror(-err));
}

/* Processes of which there is not even the name of a trace: how many is not known. */
static void count_nameless(struct sc_recording *run)
{
	if (!sc_collect_lacks(&run->collect))
		return;
	sc_warn("a process could not be recorded: there was no room for another file in %s; set "
		"TMPDIR to a folder of another file system",
		run->collect.folder);
	run->check.is_incomplete = 1;
	for (int i = 0; i < run->collect.count; i++)
		if (!sc_collect_is_empty(&run->collect, i) && sc_collect_add_lost(&run->collect, i))
			break;
}

/* `exited`: the process that was seen to end by itself, with `status`, or 0. */
static void check_all(struct sc_recording *run, int exited, int status)
{
	char path[PATH_MAX], shown[PATH_MAX];

	sc_collect_list(&run->collect);
	for (int i = 0; i < run->collect.count; i++)
		if (sc_collect_process(&run->collect, i) == exited)
			sc_collect_close(&run->collect, i, status);
		else
			sc_collect_close_ended(&run->collect, i);
	count_nameless(run);
	if (run->look)
		run->look(run, status);
	sc_check_begin(&run->check, (unsigned)run->collect.count);
	run->confirm.traces = (unsigned)run->collect.count;
	if (run->options.analyze && !run->options.live_disk)
		compare(run);
	for (int i = 0; i < run->collect.count; i++) {
		warn_if_alive(sc_collect_process(&run->collect, i));
		if (sc_collect_is_empty(&run->collect, i)) {
			sc_warn("process %d could not be recorded",
				sc_collect_process(&run->collect, i));
			run->check.is_incomplete = 1;
			if (!sc_collect_fill(&run->collect, i))
				continue;
		}
		sc_collect_path(&run->collect, i, path);
		if (run->options.analyze)
			sc_check_trace(&run->check, path,
				       *run->options.trace && !name_trace(run, i, shown) ? shown
											 : NULL);
		if (*run->options.trace)
			keep_trace(run, i);
	}
	if (!run->collect.count)
		warn_of_nothing(run);
}

/* Before the program's first run. */
static void begin_confirm(struct sc_recording *run, char **argv)
{
	struct sc_rerun *r = &run->confirm.rerun;

	r->path = run->program.path;
	r->argv = argv;
	r->simulator = run->install.simulator;
	sc_rerun_begin(r, run->collect.folder);
	run->check.confirm = &run->confirm;
}

static bool was_interrupted(const struct sc_child_end *end)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigismember(&end->again, signals[i]) == 1 ||
		    (WIFSIGNALED(end->status) && WTERMSIG(end->status) == signals[i]))
			return 1;
	return 0;
}

/* After the program's first run. */
static void measure_confirm(struct sc_recording *run, const struct sc_child_end *end)
{
	run->confirm.was_interrupted = was_interrupted(end);
	sc_rerun_measure(&run->confirm.rerun, &run->confirm.names);
}

static void end_confirm(struct sc_recording *run)
{
	if (run->check.confirm)
		sc_confirm_fini(&run->confirm);
}

/* A shell says it of its own children only. */
static void warn_of_signal(const struct sc_recording *run)
{
	struct sc_buf text = {0};

	if (!run->check.ended_signal)
		return;
	sc_words_signal(&text, run->check.ended_signal);
	sc_warn("%s was ended by %s", run->program.path, text.text);
	sc_buf_fini(&text);
}

static int own_exit_code(int status)
{
	if (WIFSIGNALED(status))
		return SC_EXIT_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* The page of the whole run, which is written while it goes on: %p is this process. */
static void name_page(struct sc_recording *run)
{
	char path[sizeof(run->options.live_html)];

	if (sc_options_expand(run->options.live_html, (int)getpid(), path, sizeof(path)))
		sc_die("option live-html: the name is too long");
	memcpy(run->options.live_html, path, sizeof(path));
}

/* What needs all of a trace cannot be had where a part of it is given back. */
static void check_live_disk(const struct sc_options *o)
{
	static const char why[] =
		"option live-disk: needs %s, because the trace is judged while the "
		"program runs, and not kept";

	if (!o->live_disk)
		return;
	if (o->live_disk < SC_LIVE_DISK_LEAST)
		sc_die("option live-disk: %llu bytes are less than the least size, 32m",
		       (unsigned long long)o->live_disk);
	if (!o->analyze)
		sc_die(why, "--analyze=yes");
	if (o->confirm)
		sc_die(why, "--confirm=no");
	if (o->device_times)
		sc_die(why, "--device-times=no");
	if (*o->budget)
		sc_die(why, "no --budget");
}

/* The option comes before the variable, by which the device gets it. Reruns get it, too. */
static void set_kernels(const char *kernels)
{
	if (!sc_sim_variable_takes("KERNELS", kernels))
		sc_die("option sim-kernels: \"%s\" is not run, strict, skip, or budget:SECONDS",
		       kernels);
	if (*kernels)
		sc_child_set("STREAMCHECK_SIM_KERNELS", kernels);
}

void sc_recording_init(struct sc_recording *run, const char *program)
{
	struct sc_window_plan plan;
	char message[512];

	if (sc_window_plan_read(&plan, run->options.window, message, sizeof(message)))
		sc_die("%s", message);
	check_live_disk(&run->options);
	set_kernels(run->options.sim_kernels);
	sc_check_init(&run->check, &run->options);
	run->check.is_own = 1;
	sc_footprints_files_check(&run->options);
	name_page(run);
	sc_sinks_check(&run->options);
	sc_install_find(&run->install);
	find_program(run, program);
	run->is_simulated =
		sc_device_is_simulated((unsigned)run->options.device, &run->install, &run->program);
	if (run->options.confirm && (!run->is_simulated || !run->options.analyze))
		sc_die("option confirm: needs the simulated device (--device=sim) and "
		       "--analyze=yes");
	sc_live_init(&run->live, &run->options);
}

/* The traces are there, and no longer written. Returns the exit code. */
static int finish(struct sc_recording *run, int process, const struct sc_child_end *end,
		  bool is_halted)
{
	int own = own_exit_code(end->status), verdict;

	if (WIFSIGNALED(end->status)) {
		run->check.ended_process = (unsigned)process;
		run->check.ended_signal = (unsigned)WTERMSIG(end->status);
	}
	if (run->options.confirm)
		measure_confirm(run, end);
	check_all(run, WIFEXITED(end->status) ? process : 0, own);
	end_confirm(run);
	warn_of_signal(run);
	if (!run->options.analyze && !run->check.has_failed)
		return own;
	verdict = sc_check_end(&run->check);
	return own && !is_halted ? own : verdict;
}

/* The same in the process that has judged the traces while they were written. */
static int finish_live(void *context, int process, const struct sc_child_end *end, bool is_halted)
{
	struct sc_recording *run = context;

	run->check.live = &run->live;
	signal(SIGPIPE, SIG_IGN);
	return finish(run, process, end, is_halted);
}

static void begin_live(struct sc_recording *run)
{
	run->live.check = finish_live;
	run->live.context = run;
	sc_live_begin(&run->live, &run->options, run->collect.folder);
}

int sc_recording_run(struct sc_recording *run, char **argv)
{
	struct sc_child_end end;
	bool is_halted = false;
	int code = -1, process;

	sc_collect_init(&run->collect);
	sc_check_set_command(&run->check, argv);
	sc_install_link(&run->install, run->collect.folder);
	if (run->begin)
		run->begin(run);
	if (run->options.confirm)
		begin_confirm(run, argv);
	begin_live(run);
	process = sc_child_run(run->program.path, argv, sc_recording_prepare_program, run,
			       run->live.process, &end);
	if (process < 0 || !run->options.live_disk)
		is_halted = sc_live_end(&run->live);
	sc_interrupt_begin(&end, run->collect.folder);
	if (process < 0) {
		end_confirm(run);
		sc_collect_fini(&run->collect);
		sc_check_forget_command(&run->check);
		warn_of_start(run, process);
		return SC_EXIT_NOT_EXECUTABLE;
	}
	/* From here on nothing may keep the folder from being removed. */
	signal(SIGPIPE, SIG_IGN);
	if (run->options.live_disk)
		code = sc_live_check(&run->live, process, &end);
	if (code < 0)
		code = finish(run, process, &end, is_halted);
	sc_collect_fini(&run->collect);
	sc_check_forget_command(&run->check);
	return code;
}
