# Unit tests of extensions/questions.
sc_unit_test(open_orders sc_cmds)
