// Coverage: what the recorder saw, what it did not see, and how kernels are known.
const COVERAGE = [
	["ops", "operations that order or touch memory"], ["streams", "streams"], ["contexts", "contexts"], ["copies", "copies"], ["kernels", "kernel launches"],
	["waits", "calls in which the host waits"], ["host_accesses", "host accesses to memory that the device was using"],
];

function gapsOf({coverage, gaps: counted = []}) {
	const gaps = [...counted];
	if (coverage.uncompared_views)
		gaps.push(plural(coverage.uncompared_views, "pair of unordered launches was not compared", "pairs of unordered launches were not compared") +
			": they were given different pointers into one allocation, and may touch any byte of it (profile=strict reports them)");
	if (!coverage.driver_seen)
		gaps.unshift("no CUDA driver was seen");
	if (!coverage.closed)
		gaps.push("the process died before its end was recorded");
	return gaps;
}

function table(caption, heads, rows) {
	return make("div", {class: "scroll"}, make("table", null, make("caption", null, caption),
		make("thead", null, make("tr", null, ...heads.map(head => make("th", {scope: "col"}, head)))),
		make("tbody", null, ...rows.map(row => make("tr", null, ...row.map(cell => make("td", {class: typeof cell === "number" ? "count" : ""},
			typeof cell === "number" ? cell.toLocaleString("en") : cell)))))));
}

// How the bytes of a kernel's launches were known, the surest first.
const KNOWN = [["exact", "exact"], ["bounded", "an upper bound"], ["parameters", "no more than the pointers among its parameters"],
	["open", "not all of them"]];

function footprintOf(kernel) {
	const ways = KNOWN.filter(([key]) => kernel[key]);
	const words = ways.map(([key, name]) => ways.length > 1 ? `${kernel[key].toLocaleString("en")} ${name}` : name).join(", ");
	return kernel.bounded || kernel.open ? `${words}: ${text(kernel.why)}` : words;
}

function sumOf(kernels, key) {
	return kernels.reduce((sum, kernel) => sum + kernel[key], 0);
}

function startCoverage() {
	const body = byId("coverage-body"), gaps = gapsOf(D);
	const missing = D.notes.filter(n => n.lost || !n.value), works = D.notes.filter(n => !n.lost && n.value);
	body.append(gaps.length ? make("ul", null, ...gaps.map(gap => make("li", null, gap))) : make("p", null, "Nothing was lost, and the process ended in an orderly way."));
	body.append(table("Counts", ["What", "Number"], COVERAGE.map(([key, name]) => [name, D.coverage[key]])));
	if (works.length || missing.length)
		body.append(table("Sources of events", ["Source", "State"], [...works.map(n => [text(n.text), "worked"]),
			...missing.map(n => [text(n.text) || "event", n.lost ? plural(n.value, "event") + " not seen" : "missing"])]));
	if (D.kernelList.length) {
		const exact = sumOf(D.kernelList, "exact").toLocaleString("en"), all = plural(sumOf(D.kernelList, "launches"), "launch", "launches");
		body.append(table(`Kernels, and how the bytes that they touch are known: exact in ${exact} of ${all}`,
			["Kernel", "Launches", "Bytes"],
			D.kernelList.map(k => [text(k.name), k.launches, footprintOf(k)])));
	}
	if (D.lanes.length)
		body.append(table("Streams", ["Stream", "Operations"], D.lanes.map(s => [text(s.name), s.ops])));
	if (D.sourcesCut)
		body.append(make("p", {class: "note"}, "Some source excerpts were left out to keep this file small."));
}
