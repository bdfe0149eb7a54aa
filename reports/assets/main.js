// Everything is there: start.
startSummary();
startProcesses();
startRules();
startFindings();
startTimeline();
startCoverage();
