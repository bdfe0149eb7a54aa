// Source excerpts, stacks, and the fix as a small difference.
function sourceLine(file, number) {
	const lines = sources.get(file);
	return lines ? lines.get(number) : undefined;
}

function lineElement(kind, number, line) {
	const sign = {add: "+", del: "−", hit: "▸"}[kind] || "";
	return make("div", {class: kind}, make("i", null, sign + (number || "")), line || " ");
}

function excerpt(frames, around) {
	const frame = userFrame(frames), rows = [];
	if (!frame)
		return null;
	for (let n = Math.max(1, frame.line - around); n <= frame.line + around; n++) {
		const line = sourceLine(frame.file, n);
		if (line !== undefined)
			rows.push(lineElement(n === frame.line ? "hit" : "", n, line));
	}
	if (rows.length && newerSources.has(frame.file))
		rows.push(make("div", {class: "note"}, "This file was changed since the program was built: lines may have moved."));
	return rows.length ? make("pre", {class: "source", tabindex: "0", role: "group",
		"aria-label": "Source of " + placeOf(frame)}, ...rows) : null;
}

function frameElement(frame) {
	const item = make("li", {class: frame.internal ? "far" : "", title: frame.function + "\n" + (frame.file ? frame.file + ":" + frame.line : frame.module)});
	item.append(make(frame.user ? "strong" : "span", null, frame.line ? linked(frame, placeOf(frame)) : nameOf(frame), frame.line ? "  " + nameOf(frame) : ""));
	if (frame.inlined)
		item.append(make("span", {class: "far"}, " (inlined)"));
	return item;
}

// Frames of CUDA, of the recorder and of the C library are folded into one line each.
function stackElement(frames) {
	const isFolded = frame => frame.internal && !frame.user;
	if (!userFrame(frames))
		return make("p", {class: "note"}, "No stack was recorded.");
	const list = make("ol", {class: "stack", "aria-label": "Call stack, innermost first"});
	for (let i = 0; i < frames.length;) {
		if (!isFolded(frames[i])) {
			list.append(frameElement(frames[i++]));
			continue;
		}
		const folded = [];
		while (i < frames.length && isFolded(frames[i]))
			folded.push(frameElement(frames[i++]));
		const button = make("button", {type: "button", "aria-expanded": "false", onclick: () => item.replaceWith(...folded)},
			"… " + plural(folded.length, "internal frame"));
		const item = make("li", {class: "far"}, button);
		list.append(item);
	}
	return list;
}

function isPython(file) {
	return file.endsWith(".py");
}

// The name that the program gave to a stream, read from the line that makes it.
function streamVariable(finding, id) {
	const name = streamName(id);
	if (name.startsWith("the default stream of thread"))
		return finding.code.isDriver ? "CU_STREAM_PER_THREAD" : "cudaStreamPerThread";
	if (name.startsWith("the default stream"))
		return finding.code.defaultStream;
	for (const made of finding.objects.filter(o => o.object === "stream" && o.id === id)) {
		if (made.variable)
			return made.variable;
		for (const frame of userFrame(made.frames) ? made.frames : []) {
			const line = frame.file && sourceLine(frame.file, frame.line) || "";
			const found = (frame.file && isPython(frame.file) ? /^\s*([\w.]+)\s*=[^=]*\b[Ss]tream\(/ : /StreamCreate\w*\s*\(\s*&\s*([\w.[\]>-]+)/).exec(line);
			if (found)
				return found[1];
		}
	}
	return "stream" + id;
}

// The last line of the statement that begins at a line.
function statementEnd(file, number) {
	for (let n = number; n < number + 4; n++) {
		const line = sourceLine(file, n);
		if (line === undefined)
			break;
		if (/[;{}]\s*(\/\/.*|\/\*.*\*\/\s*)?$/.test(line))
			return n;
	}
	return number;
}

// The line before which a call can be put: not between a loop or condition and its only statement.
function statementStart(file, number) {
	const isHead = line => line !== undefined && /^\s*(for|while|if|else)\b.*[^;{}\s]$/.test(line.replace(/\/\/.*$/, "").trimEnd());
	let n = number;
	while (!isPython(file) && isHead(sourceLine(file, n - 1)))
		n--;
	return n;
}

function indentOf(line) {
	return /^\s*/.exec(line || "")[0];
}

// Changes of one place: {file, line (after which they are), added, removed}.
function changesOf(finding) {
	const {code, fix_id: kind, fix_at: at} = finding, line = (template, of) => template.replace("$", of);
	const start = at.before && (kind === "move" ? at.before.line : statementStart(at.before.file, at.before.line));
	const before = at.before && {file: at.before.file, line: start - 1, indent: start};
	const after = at.after && {file: at.after.file, line: statementEnd(at.after.file, at.after.line), indent: at.after.line};
	const stream = streamVariable(finding, at.stream_id);
	const changes = [];
	const add = (place, added) => place && added && changes.push({...place, added});
	if (kind === "sync_stream")
		add(before, line(code.streamSync, stream));
	else if (kind === "sync_device")
		add(before, (code.choosesDevice && code.deviceSync ? `cudaSetDevice(${at.device});\n` : "") + code.deviceSync);
	else if (kind === "event" && after && before) {
		add(after, line(code.record, streamVariable(finding, finding.accesses[0].stream_id)));
		add(before, line(code.wait, stream));
	} else if (kind === "move" && after && before) {
		const moved = sourceLine(before.file, before.indent);
		if (moved !== undefined)
			changes.push({...before, removed: before.indent}, {...after, added: moved.trim()});
	}
	return changes;
}

function changeRows(changes) {
	const rows = [], shown = new Set(), sorted = [...changes].sort((a, b) => a.file - b.file || a.line - b.line);
	for (const [place, change] of sorted.entries()) {
		const next = sorted[place + 1];
		const line = n => sourceLine(change.file, n);
		const context = n => {
			const isRemoved = changes.some(c => c.file === change.file && c.removed === n);
			if (line(n) !== undefined && !shown.has(change.file + ":" + n))
				rows.push(lineElement(isRemoved ? "del" : "", n, line(n)));
			shown.add(change.file + ":" + n);
		};
		context(change.line - 1);
		context(change.line);
		for (const added of change.added ? change.added.split("\n") : [])
			rows.push(lineElement("add", "", indentOf(line(change.indent)) + added));
		if (!next || next.file !== change.file || next.line !== change.line)
			context(change.line + 1);
	}
	return rows;
}

function fixElement(finding) {
	const changes = changesOf(finding);
	const box = make("div", {class: "fix"}, make("h4", null, "Fix"), make("p", null, finding.fix));
	const rows = changes.length && changes.every(c => sourceLine(c.file, c.indent) !== undefined) ? changeRows(changes) : [];
	if (!rows.length)
		return box;
	box.append(make("pre", {class: "source", tabindex: "0", role: "group", "aria-label": "The fix as a difference"}, ...rows));
	if (finding.fix_id === "event")
		box.append(make("p", {class: "note"}, `“done” is an event that is made once, with ${finding.code.event}.`));
	box.append(make("p", {class: "note"}, "A hint: check names and error handling against your code."));
	return box;
}
