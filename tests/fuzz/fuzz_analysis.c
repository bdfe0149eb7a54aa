/* Fuzz target: bytes as a trace, analyzed in every profile; what comes out must make sense. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "analyzer/analysis.h"
#include "tests/fuzz/sealed_copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_finding(const struct sc_analysis *a, const struct sc_finding *f)
{
	require(sc_rule_find(f->rule) != NULL);
	require(f->sides == 1 || f->sides == 2);
	require(f->severity <= SC_ERROR && f->confidence <= SC_PROVEN);
	require((f->doubt == SC_DOUBT_NONE) == (f->confidence == SC_PROVEN));
	for (unsigned i = 0; i < f->sides; i++)
		require(sc_analysis_record(a, f->side[i].op) != NULL);
	require(!f->allocation || sc_analysis_record(a, f->allocation - 1));
	require(!f->reach_op || sc_analysis_record(a, f->reach_op - 1));
	require(!f->fix_after || sc_analysis_record(a, f->fix_after - 1));
	require(!f->fix_before || sc_analysis_record(a, f->fix_before - 1));
}

static void analyze(struct sc_reader *r, enum sc_profile profile)
{
	struct sc_analysis_settings settings = {
		.profile = profile, .advice = 1, .strict_hosts = profile == SC_STRICT};
	struct sc_analysis *a;
	const struct sc_finding *f;
	size_t count;

	if (sc_analysis_run(&a, r, &settings))
		return;
	f = sc_analysis_findings(a, &count);
	for (size_t i = 0; i < count; i++)
		check_finding(a, &f[i]);
	sc_analysis_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *trace = sealed_copy(data, bytes);
	struct sc_reader *r;
	char message[160];

	if (sc_reader_open_memory(&r, trace, bytes, message, sizeof(message))) {
		free(trace);
		return 0;
	}
	for (int profile = SC_STRICT; profile <= SC_PERMISSIVE; profile++)
		analyze(r, (enum sc_profile)profile);
	sc_reader_free(r);
	free(trace);
	return 0;
}
