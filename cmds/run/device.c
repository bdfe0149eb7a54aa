/* Device: the GPU is asked in a process of its own, so that its driver leaves no marks here. */
#include "cmds/run/device.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/message.h"
#include "base/option.h"
#include "base/sim_variable.h"
#include "cmds/run/refusal.h"

#define PROBE_SECONDS 60 /* a driver that does not answer is no driver */

static void ask_driver(struct sc_gpu *gpu)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	int (*init)(unsigned) = NULL;
	int (*get_count)(int *) = NULL;
	int (*get_version)(int *) = NULL;

	gpu->has_driver = driver != NULL;
	if (!driver)
		return;
	*(void **)&init = dlsym(driver, "cuInit");
	*(void **)&get_count = dlsym(driver, "cuDeviceGetCount");
	*(void **)&get_version = dlsym(driver, "cuDriverGetVersion");
	if (get_version && get_version(&gpu->version))
		gpu->version = 0;
	if (!init || !get_count || init(0) || get_count(&gpu->devices))
		gpu->devices = 0;
}

static _Noreturn void run_probe(int answer)
{
	int nowhere = open("/dev/null", O_WRONLY);
	struct sc_gpu gpu = {0};

	alarm(PROBE_SECONDS);
	if (nowhere >= 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
	ask_driver(&gpu);
	_exit(write(answer, &gpu, sizeof(gpu)) == (ssize_t)sizeof(gpu) ? 0 : 1);
}

int sc_device_ask(struct sc_gpu *gpu)
{
	int answer[2], status, err;
	ssize_t got;
	pid_t child;

	*gpu = (struct sc_gpu){0};
	if (pipe2(answer, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child)
		run_probe(answer[1]);
	err = child < 0 ? -errno : 0;
	close(answer[1]);
	do
		got = read(answer[0], gpu, sizeof(*gpu));
	while (got < 0 && errno == EINTR);
	close(answer[0]);
	if (got != (ssize_t)sizeof(*gpu))
		*gpu = (struct sc_gpu){0};
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			break;
	return err;
}

static bool has_gpu(void)
{
	struct sc_gpu gpu;
	int err = sc_device_ask(&gpu);

	if (err)
		sc_die("cannot find out whether there is a GPU: %s; name the device: --device=gpu "
		       "or --device=sim",
		       strerror(-err));
	return gpu.devices > 0;
}

static void check_simulated(const struct sc_install *install, const struct sc_program *program)
{
	struct sc_refusal refusal = {0};
	char message[256];

	if (!sc_sim_variables_check(message, sizeof(message)))
		sc_die("%s", message);
	if (!sc_install_has_simulator(install))
		sc_die("the simulated device is not installed at %s", install->simulator);
	if (sc_refusal_find(&refusal, install, program))
		sc_die("%s %s; %s", program->path, refusal.why, refusal.next);
}

bool sc_device_is_simulated(unsigned device, const struct sc_install *install,
			    const struct sc_program *program)
{
	if (device == SC_RUN_GPU || (device == SC_RUN_AUTO && has_gpu()))
		return 0;
	if (device == SC_RUN_AUTO && !sc_install_has_simulator(install)) {
		sc_warn("no GPU here, and no simulated device at %s", install->simulator);
		return 0;
	}
	if (device == SC_RUN_AUTO)
		sc_warn("no GPU here: %s runs on the simulated device, kernels are executed from "
			"their PTX",
			program->path);
	check_simulated(install, program);
	return 1;
}
