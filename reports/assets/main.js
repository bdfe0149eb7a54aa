// Everything is there: start.
startSummary();
startProcesses();
startRules();
if (ALL.processes.length) {
	startFindings();
	startTimeline();
	startCoverage();
} else {
	for (const part of ["findings", "timeline", "coverage"])
		byId(part).hidden = document.querySelector(`nav a[href="#${part}"]`).hidden = true;
	document.querySelector(".skip").href = "#common";
}
// Of a program that still runs the file is written again and again. The address, with all after its "#", and the place on the page stay.
if (ALL.refresh)
	setTimeout(() => location.reload(), ALL.refresh * 1000);
