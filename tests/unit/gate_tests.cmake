# Tests of gates, suppressions and baselines.
sc_unit_test(gate sc_cmds)
sc_unit_test(baseline sc_cmds)
sc_unit_test(diff sc_cmds)
sc_unit_test(python_source sc_cmds)
sc_unit_test(confirm sc_cmds)
sc_unit_test(suppress sc_cmds)
target_sources(test_suppress PRIVATE report_fake.c)
