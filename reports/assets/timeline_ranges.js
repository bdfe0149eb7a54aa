// The program's own ranges (NVTX) on the overview: a lane for each level of a thread, and for those of the process.
function decodeRanges(process) {
	const numbers = decodeNumbers(process.ranges), ranges = [];
	for (let i = 0, begin = 0; i < numbers.length; i += 7) {
		const [name, thread, level, delta, length, time, took] = numbers.slice(i, i + 7);
		begin += delta;
		ranges.push({label: process.rangeNames[name], thread, level, begin, end: length ? begin + length : Infinity,
			from: signed(time), to: length ? signed(time) + took : Infinity});
	}
	return ranges;
}

function rangeLane(d, range) {
	return `${d.number}r${range.thread}.${range.level}`;
}

function rangeOwner(thread) {
	return thread ? "host thread " + thread : "the process";
}

// Lanes by the thread that they belong to, 0 for the process.
function rangeLanes(d) {
	const lanes = new Map();
	for (const range of [...d.ranges].sort((a, b) => a.level - b.level)) {
		const name = "ranges of " + rangeOwner(range.thread) + (range.level ? ", level " + (range.level + 1) : "");
		if (!lanes.has(range.thread))
			lanes.set(range.thread, new Map());
		lanes.get(range.thread).set(rangeLane(d, range), name);
	}
	return lanes;
}

// In columns a range goes from its first operation to its last; on a scale of time it is as long as it took.
function placeRange(d, part, range) {
	if (view.isTime)
		return [range.from, range.to].map(time => Math.max(0, Math.min(view.extent, time + view.ops.offsets[part] - view.zero)));
	const [first, last] = [range.begin, range.end].map(seq => lowerBound(d.seq, seq, 0, d.count)), at = view.ops.at[part];
	return last > first ? [at[first], at[last - 1] + 1] : [0, 0].fill(first < d.count ? at[first] : view.count);
}

function rangeBars(bars, index) {
	view.ops.parts.forEach((d, part) => {
		for (const range of d.ranges) {
			const lane = index.get(rangeLane(d, range));
			if (lane === undefined)
				continue;
			const [start, end] = placeRange(d, part, range);
			bars[lane].push({op: -1, start, end, range: {...range, process: d.process}});
		}
	});
}

// What is open around an operation, the outermost first.
function rangesAround(d, own) {
	const seq = d.seq[own], thread = d.kinds[d.shape[own]].thread;
	return d.ranges.filter(range => (range.thread === thread || !range.thread) && range.begin < seq && seq < range.end)
		.sort((a, b) => (a.thread ? 1 : 0) - (b.thread ? 1 : 0) || a.begin - b.begin).map(range => range.label).join(" > ");
}

function describeRange(range) {
	const took = view.isTime && range.to < Infinity ? `took ${timeText(range.to - range.from)}` : "";
	const facts = [view.isAll ? processName(range.process) : "", "range of " + rangeOwner(range.thread), took, range.end === Infinity ? "never ended" : ""];
	byId("operation").replaceChildren(make("p", null, make("strong", null, range.label)), make("p", {class: "note"}, facts.filter(x => x).join(" · ")));
}
