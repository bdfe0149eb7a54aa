// Everything is there: start.
startSummary();
startProcesses();
startRules();
startFindings();
startTimeline();
startCoverage();
// Of a program that still runs the file is written again and again. The address, with all after its "#", and the place on the page stay.
if (ALL.refresh)
	setTimeout(() => location.reload(), ALL.refresh * 1000);
