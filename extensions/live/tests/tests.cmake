# Unit tests of extensions/live.
sc_unit_test(top_state sc_cmds)
sc_unit_test(status_row sc_cmds util)
sc_unit_test(live_lines sc_cmds)
sc_unit_test(disk sc_cmds)
sc_unit_test(live_asked sc_cmds)
sc_unit_test(traced sc_cmds)
