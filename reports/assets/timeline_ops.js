// The operations of the overview: those of each process decoded, and several processes put on one clock.
const CLASS_ENQUEUE = 2, CLASS_WAIT = 3, PHASE_BEGIN = 1, PHASE_END = 2;
const LANES_MAX = 400, BOOT_REACH = 2; // seconds by which a machine's wall clock may be moved before it is taken for another machine
const PAINT = {copy: "copy", set: "fill", kernel: "kernel", record: "event", wait: "event", host_read: "access", host_write: "access", host_free: "access"};
const decoded = new Map();

// The numbers of a text in base64: seven bits a byte, the lowest first.
function decodeNumbers(encoded) {
	const bytes = atob(encoded), numbers = [];
	let value = 0, scale = 1;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes.charCodeAt(at);
		value += (byte & 127) * scale;
		scale *= 128;
		if (byte < 128) {
			numbers.push(value);
			value = 0;
			scale = 1;
		}
	}
	return numbers;
}

// A number whose lowest bit is its sign.
function signed(number) {
	return number % 2 ? -(number - 1) / 2 - 1 : number / 2;
}

// When the device worked for operations: each part with its engine, and from the first to the last of them.
function decodeSpans(process, call) {
	const numbers = decodeNumbers(process.spans), parts = [], whole = new Map();
	for (let i = 0, op = 0; i < numbers.length; i += 5) {
		op += numbers[i];
		const start = call[op] + signed(numbers[i + 1]), end = start + numbers[i + 2], known = whole.get(op);
		parts.push({op, start, end, engine: ALL.engines[numbers[i + 3]], device: numbers[i + 4]});
		whole.set(op, known ? {start: Math.min(known.start, start), end: Math.max(known.end, end)} : {start, end});
	}
	return {parts, whole};
}

function kindsOf(process, number) {
	return process.shapes.map(([kind, group, phase, thread, stream, object, failed, label, place]) => {
		return {
			kind, group, phase, thread, object, failed, label, place, process: number,
			home: number + "t" + thread, lane: number + (group === CLASS_ENQUEUE && stream ? "s" + stream : "t" + thread),
			paint: group === CLASS_WAIT ? "wait" : PAINT[kind] || "host",
			words: (kind + "\n" + label + "\n" + place).toLowerCase(),
		};
	});
}

// Times are counted from the process's first call.
function decodeProcess(number) {
	if (decoded.has(number))
		return decoded.get(number);
	const process = ALL.processes[number], numbers = decodeNumbers(process.ops), deltas = decodeNumbers(process.times), count = numbers.length / 2;
	const d = {process, number, count, seq: new Float64Array(count), shape: new Uint32Array(count), call: new Float64Array(count), hasTimes: deltas.length > 0};
	for (let i = 0, seq = 0, time = 0; i < count; i++) {
		d.seq[i] = seq += numbers[2 * i];
		d.shape[i] = numbers[2 * i + 1];
		d.call[i] = time += d.hasTimes ? signed(deltas[i]) : 0;
	}
	Object.assign(d, decodeSpans(process, d.call), {kinds: kindsOf(process, number), ranges: decodeRanges(process)});
	decoded.set(number, d);
	return d;
}

function isOnOneClock(processes) {
	return processes.every(p => Math.abs(p.boot - processes[0].boot) <= BOOT_REACH);
}

// Offset of each process's clock from that of the first; machines are distinguished by their boot times.
function clockOffset(process, first) {
	const seconds = Math.abs(process.boot - first.boot) <= BOOT_REACH ? 0 : process.boot - first.boot;
	return seconds * 1e9 + process.start - first.start;
}

// Operations of one process as they are, those of several sorted by when they were called.
function joinOps(numbers) {
	const parts = numbers.map(decodeProcess), count = parts.reduce((sum, d) => sum + d.count, 0);
	const offsets = parts.map(d => clockOffset(d.process, parts[0].process));
	const refs = [];
	parts.forEach((d, p) => {
		for (let i = 0; i < d.count; i++)
			refs.push({p, i, time: d.call[i] + offsets[p]});
	});
	if (parts.length > 1)
		refs.sort((a, b) => a.time - b.time);
	const joined = {count, parts, offsets, from: new Uint16Array(count), own: new Uint32Array(count), call: new Float64Array(count), kind: new Array(count),
		at: parts.map(d => new Uint32Array(d.count))};
	refs.forEach(({p, i, time}, at) => {
		joined.from[at] = p;
		joined.own[at] = i;
		joined.call[at] = time;
		joined.kind[at] = parts[p].kinds[parts[p].shape[i]];
		joined.at[p][i] = at;
	});
	return joined;
}

// Begin and end of waits, and the record that each wait for an event refers to.
function linkOps(ops) {
	ops.partner = new Int32Array(ops.count).fill(-1);
	ops.record = new Int32Array(ops.count).fill(-1);
	const open = new Map(), records = new Map();
	for (let i = 0; i < ops.count; i++) {
		const k = ops.kind[i], wait = k.home + k.kind, event = k.process + "e" + k.object;
		if (k.phase === PHASE_BEGIN) {
			open.set(wait, i);
		} else if (k.phase === PHASE_END && open.has(wait)) {
			ops.partner[open.get(wait)] = i;
			open.delete(wait);
		}
		if (k.kind === "record")
			records.set(event, i);
		else if (k.kind === "wait" || k.kind === "event_sync")
			ops.record[i] = records.has(event) ? records.get(event) : -1;
	}
}

// The index of an operation of a process among all that are shown; the next one if it is not shown itself.
function indexOf(seq, number) {
	const p = view.ops.parts.findIndex(d => d.number === number), d = view.ops.parts[p];
	const own = d ? lowerBound(d.seq, seq, 0, d.count) : 0;
	return d && own < d.count ? view.ops.at[p][own] : view.count;
}

function seqOf(i) {
	return view.ops.parts[view.ops.from[i]].seq[view.ops.own[i]];
}
