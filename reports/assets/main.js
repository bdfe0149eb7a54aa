// Everything is there: start.
startSummary();
startProcesses();
startFindings();
startTimeline();
startCoverage();
