# Unit tests of extensions/anonymize.
sc_unit_test(private_ptx sc_cmds)
