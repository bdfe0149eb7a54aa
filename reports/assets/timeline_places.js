// Positions of operations on the overview: in columns, one for each call, or on a scale of time.

// Lanes of one process: its host threads with the ranges that they named, its streams, and, on a scale of time, what the device worked with.
function lanesOfProcess(d, isTime, isMany) {
	const prefix = isMany ? (d.process.rank === null ? "process " + d.process.id : "rank " + d.process.rank) + " · " : "", {threads, lanes} = d.process;
	const ranges = rangeLanes(d), named = thread => [...ranges.get(thread) || []].map(([key, name]) => ({key, name: prefix + name}));
	const engines = new Map(isTime ? d.parts.map(part => [engineLane(d, part), `device ${part.device} ${part.engine.replace("_", " ")}`]) : []);
	const idle = [...ranges.keys()].filter(thread => thread && !threads.some(t => t.id === thread)).sort((a, b) => a - b);
	return [...named(0), ...threads.flatMap(t => [{key: d.number + "t" + t.id, name: prefix + "host thread " + t.id}, ...named(t.id)]), ...idle.flatMap(named),
		...lanes.map(s => ({key: d.number + "s" + s.id, name: prefix + s.name})),
		...[...engines].sort().map(([key, name]) => ({key, name: prefix + name}))];
}

function engineLane(d, part) {
	return `${d.number}d${part.device} ${part.engine}`;
}

// One column for each call, in the order of the calls.
function placeInOrder(ops) {
	for (let i = 0; i < ops.count; i++) {
		view.start[i] = view.home[i] = i;
		view.end[i] = ops.partner[i] >= 0 ? ops.partner[i] + 1 : i + 1;
	}
	view.extent = ops.count;
}

// Nanoseconds from the first thing that happened. Device work is at the time when it ran.
function placeInTime(ops) {
	for (let i = 0; i < ops.count; i++) {
		const d = ops.parts[ops.from[i]], span = d.whole.get(ops.own[i]), offset = ops.offsets[ops.from[i]], call = ops.call[i];
		view.home[i] = call;
		view.start[i] = span ? span.start + offset : call;
		view.end[i] = span ? span.end + offset : ops.partner[i] >= 0 ? Math.max(call, ops.call[ops.partner[i]]) : call;
	}
	let least = Infinity, most = -Infinity;
	for (let i = 0; i < ops.count; i++) {
		least = Math.min(least, view.home[i], view.start[i]);
		most = Math.max(most, view.home[i], view.end[i]);
	}
	view.zero = ops.count ? least : 0;
	for (const places of [view.start, view.end, view.home])
		for (let i = 0; i < ops.count; i++)
			places[i] -= view.zero;
	view.extent = Math.max(1, (most - least) * 1.005);
}

// The bars of engines, which exist on a scale of time only.
function engineBars(bars, index) {
	view.ops.parts.forEach((d, p) => {
		for (const part of d.parts) {
			const lane = index.get(engineLane(d, part));
			if (lane !== undefined)
				bars[lane].push({op: view.ops.at[p][part.op], start: part.start + view.ops.offsets[p] - view.zero, end: part.end + view.ops.offsets[p] - view.zero});
		}
	});
}

// A row for each lane, and a thin one for the calls of a host thread that enqueue.
function makeRows(index) {
	const main = view.lanes.map(() => []), calls = view.lanes.map(() => []);
	for (let i = 0; i < view.count; i++) {
		const k = view.ops.kind[i], lane = index.get(k.lane), home = index.get(k.home);
		view.laneOf[i] = lane === undefined ? -1 : lane;
		if (lane !== undefined && !(k.phase === PHASE_END && k.group === CLASS_WAIT))
			main[lane].push({op: i, start: view.start[i], end: view.end[i]});
		if (home !== undefined && k.home !== k.lane)
			calls[home].push({op: i, start: view.home[i], end: view.home[i] + (view.isTime ? 0 : 1)});
	}
	if (view.isTime)
		engineBars(main, index);
	rangeBars(main, index);
	view.rows = [];
	view.lanes.forEach((_, lane) => view.rows.push(makeRow(lane, true, calls[lane]), makeRow(lane, false, main[lane])));
	view.rows.forEach(colorRow);
}

// Operations of findings, of all processes that are shown, by their places.
function markFindings() {
	view.findings = new Map();
	for (const {number, process} of view.ops.parts)
		process.findings.forEach((finding, index) => finding.accesses.forEach(side => {
			const i = indexOf(side.sequence, number);
			if (i >= view.count || seqOf(i) !== side.sequence)
				return;
			if (!view.findings.has(i))
				view.findings.set(i, []);
			view.findings.get(i).push({number, finding, card: number === chosen ? cardAt[index] : null});
		}));
	view.marked = [...view.findings.keys()].sort((a, b) => a - b);
	view.marks = view.marked.map(op => ({op, place: (view.start[op] + view.end[op]) / 2})).sort((a, b) => a.place - b.place);
	view.markPlaces = view.marks.map(mark => mark.place);
}

// Everything of the view that depends on what is shown, and by what.
function arrange() {
	const numbers = view.isAll ? ALL.processes.map((_, number) => number) : [chosen];
	view.ops = joinOps(numbers);
	view.count = view.ops.count;
	linkOps(view.ops);
	for (const name of ["start", "end", "home"])
		view[name] = new Float64Array(view.count);
	view.laneOf = new Int32Array(view.count);
	(view.isTime ? placeInTime : placeInOrder)(view.ops);
	view.lanes = view.ops.parts.flatMap(d => lanesOfProcess(d, view.isTime, view.isAll));
	view.hiddenLanes = Math.max(0, view.lanes.length - LANES_MAX);
	view.lanes.length = Math.min(view.lanes.length, LANES_MAX);
	view.waits = [];
	for (let i = 0; i < view.count; i++)
		if (view.ops.record[i] >= 0)
			view.waits.push(i);
	makeRows(new Map(view.lanes.map((lane, i) => [lane.key, i])));
	markFindings();
}
