/* Run ids: two runs of a launcher have different ones, the ranks of one the same. */
#include "base/run_id.h"

#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

static const char *const variables[] = {
	"STREAMCHECK_RUN", "TORCHELASTIC_RUN_ID", "RANK",	   "PMIX_NAMESPACE",
	"PMIX_RANK",	   "PALS_APID",		  "PALS_RANKID",   "FLUX_JOB_ID",
	"FLUX_TASK_RANK",  "SLURM_JOB_ID",	  "SLURM_STEP_ID", "SLURM_PROCID",
};

static int clear(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
	return 0;
}

static void assert_id(int rank, const char *wanted)
{
	char id[SC_RUN_ID_BYTES];

	sc_run_id(id, rank);
	assert_string_equal(id, wanted);
}

EACH_TEST(clear, NULL)

TEST(without_a_launcher_there_is_none)
{
	assert_id(-1, "");
	assert_id(3, "");
	setenv("SLURM_JOB_ID", "12", 1);
	setenv("SLURM_STEP_ID", "0", 1);
	setenv("SLURM_PROCID", "0", 1);
	assert_id(-1, "");
}

TEST(a_step_of_slurm_is_a_run)
{
	setenv("SLURM_JOB_ID", "4711", 1);
	setenv("SLURM_PROCID", "3", 1);
	assert_id(3, ""); /* the batch script is no step */
	setenv("SLURM_STEP_ID", "2", 1);
	assert_id(3, "slurm 4711.2");
}

/* Hydra starts its ranks below a step of Slurm on some nodes, and not on others. */
TEST(ranks_of_another_launcher_are_not_slurms)
{
	setenv("SLURM_JOB_ID", "4711", 1);
	setenv("SLURM_STEP_ID", "2", 1);
	setenv("SLURM_PROCID", "1", 1);
	assert_id(5, "");
}

TEST(what_a_rank_spawns_is_of_its_run)
{
	setenv("PMIX_RANK", "1", 1);
	setenv("PMIX_NAMESPACE", "prterun-host-77@1", 1);
	assert_id(1, "pmix prterun-host-77");
	setenv("PMIX_NAMESPACE", "prterun-host-77@2", 1);
	assert_id(1, "pmix prterun-host-77");
	setenv("PMIX_NAMESPACE", "prterun-host-78@1", 1);
	assert_id(1, "pmix prterun-host-78");
	setenv("PMIX_NAMESPACE", "131073", 1); /* Open MPI 4: the second job of the second family */
	assert_id(1, "pmix 2");
}

TEST(torchrun_names_a_run_if_it_is_told_to)
{
	setenv("RANK", "0", 1);
	setenv("TORCHELASTIC_RUN_ID", "none", 1);
	assert_id(0, "");
	setenv("TORCHELASTIC_RUN_ID", "job-7", 1);
	assert_id(0, "torchrun job-7");
}

TEST(our_own_comes_first)
{
	setenv("PMIX_RANK", "1", 1);
	setenv("PMIX_NAMESPACE", "a@1", 1);
	setenv("STREAMCHECK_RUN", "1.2.3", 1);
	assert_id(1, "streamcheck 1.2.3");
}

TEST(any_value_is_cut_and_plain)
{
	char value[500], id[SC_RUN_ID_BYTES];

	memset(value, '\033', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	setenv("STREAMCHECK_RUN", value, 1);
	sc_run_id(id, 0);
	assert_int_equal(strlen(id), SC_RUN_ID_BYTES - 1);
	assert_null(strchr(id, '\033'));
	setenv("STREAMCHECK_RUN", "", 1);
	assert_id(0, "");
}
