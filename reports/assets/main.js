// Everything is there: start.
startSummary();
startFindings();
startTimeline();
startCoverage();
