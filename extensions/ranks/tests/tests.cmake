# Unit tests of extensions/ranks.
sc_unit_test(across_log sc_analyzer)
sc_unit_test(across_crossing sc_analyzer)
sc_unit_test(across_match sc_analyzer)
sc_unit_test(across_nccl sc_analyzer)
sc_unit_test(across_order sc_analyzer)
sc_unit_test(across_rendezvous sc_analyzer)
sc_unit_test(across_sharing sc_analyzer)
