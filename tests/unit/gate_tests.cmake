# Tests of gates, suppressions and baselines.
sc_unit_test(collect sc_cmds)
sc_unit_test(gate sc_cmds)
sc_unit_test(progress sc_cmds)
sc_unit_test(baseline sc_cmds)
sc_unit_test(source_lines sc_cmds)
sc_unit_test(confirm sc_cmds)
sc_unit_test(suppress report_fake sc_cmds)
sc_unit_test(filter report_fake sc_cmds)
