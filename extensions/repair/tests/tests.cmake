# Unit tests of extensions/repair.
sc_unit_test(facts sc_analyzer)
sc_unit_test(spelling sc_cmds)
