# Unit tests of extensions/repair.
sc_unit_test(facts sc_analyzer)
sc_unit_test(diff sc_cmds)
sc_unit_test(source_scope sc_cmds)
sc_unit_test(python_source sc_cmds)
