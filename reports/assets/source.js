// Source excerpts, stacks, and the fix as a small difference.
function sourceLine(fileIndex, number) {
	const lines = sources.get(fileIndex);
	return lines ? lines.get(number) : undefined;
}

function lineElement(kind, number, line) {
	const sign = {add: "+", del: "−", hit: "▸"}[kind] || "";
	return make("div", {class: kind}, make("i", null, sign + (number || "")), line || " ");
}

function excerpt(stackIndex, around) {
	const stack = stackAt(stackIndex);
	if (!stack)
		return null;
	const frame = stack.frames[stack.user];
	const rows = [];
	for (let n = Math.max(1, frame.line - around); n <= frame.line + around; n++) {
		const line = sourceLine(frame.fileIndex, n);
		if (line !== undefined)
			rows.push(lineElement(n === frame.line ? "hit" : "", n, line));
	}
	if (rows.length && newerSources.has(frame.fileIndex))
		rows.push(make("div", {class: "note"}, "This file was changed since the program was built: lines may have moved."));
	return rows.length ? make("pre", {class: "source", tabindex: "0", role: "group",
		"aria-label": "Source of " + placeOf(frame)}, ...rows) : null;
}

function frameElement(frame, isUser) {
	const item = make("li", {class: frame.internal ? "far" : "", title: frame.whole + "\n" + (frame.file ? frame.file + ":" + frame.line : frame.module)});
	item.append(make(isUser ? "strong" : "span", null, frame.line ? linked(frame, placeOf(frame)) : frame.name, frame.line ? "  " + frame.name : ""));
	if (frame.inlined)
		item.append(make("span", {class: "far"}, " (inlined)"));
	return item;
}

// Frames of CUDA, of the recorder and of the C library are folded into one line each.
function stackElement(index) {
	const stack = stackAt(index);
	if (!stack)
		return make("p", {class: "note"}, "No stack was recorded.");
	const list = make("ol", {class: "stack", "aria-label": "Call stack, innermost first"});
	for (let i = 0; i < stack.frames.length;) {
		if (i === stack.user || !stack.frames[i].internal) {
			list.append(frameElement(stack.frames[i], i === stack.user));
			i++;
			continue;
		}
		const folded = [];
		while (i < stack.frames.length && i !== stack.user && stack.frames[i].internal)
			folded.push(frameElement(stack.frames[i++], false));
		const button = make("button", {type: "button", "aria-expanded": "false", onclick: () => item.replaceWith(...folded)},
			"… " + plural(folded.length, "internal frame"));
		const item = make("li", {class: "far"}, button);
		list.append(item);
	}
	return list;
}

function isPython(fileIndex) {
	return text(fileIndex).endsWith(".py");
}

// The name that the program gave to a stream, read from the line that makes it.
function streamVariable(finding, id) {
	const name = streamName(id);
	if (name.startsWith("the default stream of thread"))
		return finding.fix.code.isDriver ? "CU_STREAM_PER_THREAD" : "cudaStreamPerThread";
	if (name.startsWith("the default stream"))
		return text(finding.fix.code.defaultStream);
	for (const made of finding.objects.filter(o => text(o.noun) === "stream" && o.id === id)) {
		if (text(made.variable))
			return text(made.variable);
		const stack = stackAt(made.stack);
		for (const frame of stack ? stack.frames : []) {
			const line = sourceLine(frame.fileIndex, frame.line) || "";
			const found = (isPython(frame.fileIndex) ? /^\s*([\w.]+)\s*=[^=]*\b[Ss]tream\(/ : /StreamCreate\w*\s*\(\s*&\s*([\w.[\]>-]+)/).exec(line);
			if (found)
				return found[1];
		}
	}
	return "stream" + id;
}

// The last line of the statement that begins at a line.
function statementEnd(fileIndex, number) {
	for (let n = number; n < number + 4; n++) {
		const line = sourceLine(fileIndex, n);
		if (line === undefined)
			break;
		if (/[;{}]\s*(\/\/.*|\/\*.*\*\/\s*)?$/.test(line))
			return n;
	}
	return number;
}

// The line before which a call can be put: not between a loop or condition and its only statement.
function statementStart(fileIndex, number) {
	const isHead = line => line !== undefined && /^\s*(for|while|if|else)\b.*[^;{}\s]$/.test(line.replace(/\/\/.*$/, "").trimEnd());
	let n = number;
	while (!isPython(fileIndex) && isHead(sourceLine(fileIndex, n - 1)))
		n--;
	return n;
}

function indentOf(line) {
	return /^\s*/.exec(line || "")[0];
}

// Changes of one place: {file, line (after which they are), added, removed}.
function changesOf(finding) {
	const fix = finding.fix, code = fix.code, line = (template, of) => text(template).replace("$", of);
	const start = fix.before && (text(fix.kind) === "move" ? fix.before[1] : statementStart(...fix.before));
	const before = fix.before && {file: fix.before[0], line: start - 1, indent: start};
	const after = fix.after && {file: fix.after[0], line: statementEnd(...fix.after), indent: fix.after[1]};
	const stream = streamVariable(finding, fix.stream);
	const changes = [];
	const add = (place, added) => place && added && changes.push({...place, added});
	if (text(fix.kind) === "sync_stream")
		add(before, line(code.streamSync, stream));
	else if (text(fix.kind) === "sync_device")
		add(before, (fix.choosesDevice && text(code.deviceSync) ? `cudaSetDevice(${fix.device});\n` : "") + text(code.deviceSync));
	else if (text(fix.kind) === "event" && after && before) {
		add(after, line(code.record, streamVariable(finding, finding.sides[0].stream)));
		add(before, line(code.wait, stream));
	} else if (text(fix.kind) === "move" && after && before) {
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
	const box = make("div", {class: "fix"}, make("h4", null, "Fix"), make("p", null, text(finding.fix.text)));
	const rows = changes.length && changes.every(c => sourceLine(c.file, c.indent) !== undefined) ? changeRows(changes) : [];
	if (!rows.length)
		return box;
	box.append(make("pre", {class: "source", tabindex: "0", role: "group", "aria-label": "The fix as a difference"}, ...rows));
	if (text(finding.fix.kind) === "event")
		box.append(make("p", {class: "note"}, `“done” is an event that is made once, with ${text(finding.fix.code.event)}.`));
	box.append(make("p", {class: "note"}, "A hint: check names and error handling against your code."));
	return box;
}
