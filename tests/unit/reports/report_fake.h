/* Stand-ins for analysis and symbols: a report can be tested on findings and stacks made by hand.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "analyzer/symbol/symbol.h"
#include "base/map.h"
#include "reports/report.h"
#include "reports/sources/source.h"
#include "trace/text/text.h"

#define FAKE_FINDINGS 1200
#define FAKE_STACKS   16
#define FAKE_FRAMES   40

struct sc_symbols {
	struct {
		struct sc_frame frames[FAKE_FRAMES];
		size_t count;
	} stacks[FAKE_STACKS]; /* by stack id */
	struct sc_u64_map wanted;
	uint64_t alone; /* stacks looked up without having been wanted: a process each */
};

struct sc_analysis {
	struct sc_finding findings[FAKE_FINDINGS];
	size_t count;
	struct sc_coverage coverage;
	bool is_complete;
	struct sc_record *records; /* owned, with owned attachments */
	size_t record_count;
	struct sc_record *notes; /* owned; attachments borrowed from records */
	size_t note_count;
	struct sc_device_times times; /* none, unless a test borrows some */
	struct sc_stall stalls[FAKE_FINDINGS];
};

/* A trace script with everything that a report is made of. */
struct fake {
	struct sc_text_script script;
	struct sc_reader *reader;
	struct sc_names names;
	struct sc_analysis analysis;
	struct sc_symbols symbols;
	struct sc_sources sources;
	struct sc_report report;
};

/* Reads the script; ends the test if it does not parse. */
void fake_init(struct fake *f, const char *script);
void fake_fini(struct fake *f);
/* Adds an empty finding with two sides. */
struct sc_finding *fake_finding(struct fake *f, unsigned rule, enum sc_severity severity);
/* Sequence number of the op in line `line` (counted over op lines, from 1). */
uint64_t fake_op(const struct fake *f, unsigned line);
/* Side of a finding: the op of a line, touching bytes. */
struct sc_side fake_side(const struct fake *f, unsigned line, enum sc_side_mode mode,
			 uint64_t address, uint64_t bytes);
/* Adds a frame to a stack, outer ones later. `file` may be NULL, `module` too. */
void fake_frame(struct fake *f, uint32_t stack, const char *function, const char *file,
		unsigned line, const char *module);
