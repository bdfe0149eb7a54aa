// The data of the report, and how it becomes elements: always as text, never as markup.
"use strict";
const ALL = JSON.parse(document.getElementById("data").textContent);
// The address names a process, "#p2", a finding, "#f-…" of the first one, or both, "#p2,f-…"; the first process is "#p1".
const chosen = chooseProcess();
// Of summaries alone there is no process to show.
const D = ALL.processes[chosen] || {command: "", process: null, rank: null, directory: "", sources: [[]], lanes: [], texts: [], findings: [], seen: [], gaps: [], counts: [0, 0, 0, 0], complete: true, simulated: null};
const rules = new Map(ALL.rules.map(rule => [rule.id, rule]));
const sources = new Map(D.sources[0].map(([path, lines]) => {
	const byNumber = new Map();
	for (let i = 0; i < lines.length; i += 2)
		byNumber.set(lines[i], lines[i + 1]);
	return [path, byNumber];
}));
const newerSources = new Set(D.sources[0].filter(([, , isNewer]) => isNewer).map(([path]) => path));
const streamNames = new Map(D.lanes.map(lane => [lane.id, text(lane.name)]));

function text(index) {
	return index === null || index === undefined ? "" : D.texts[index];
}

// Where the address names nothing, what is worst is shown: counts are advice, warnings, errors, proven errors.
function chooseProcess() {
	const named = /^#p(\d+)/.exec(location.hash), worst = [3, 2, 1, 0].map(kind => ALL.processes.findIndex(process => process.counts[kind]));
	if (named)
		return Math.min(ALL.processes.length, Math.max(1, Number(named[1]))) - 1;
	return location.hash.startsWith("#f-") ? 0 : worst.find(index => index >= 0) || 0;
}

// An element with attributes; children are elements or text. "on…" is a listener.
function make(name, attributes, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on"))
			element.addEventListener(key.slice(2), value);
		else if (value === true)
			element.setAttribute(key, "");
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(key, value);
	}
	element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
	return element;
}

function byId(id) {
	return document.getElementById(id);
}

function plural(count, noun, many) {
	return count.toLocaleString("en") + " " + (count === 1 ? noun : many || noun + "s");
}

function shortPath(path) {
	const below = D.directory + "/";
	return D.directory && path.startsWith(below) ? path.slice(below.length) : path;
}

function frameAt(index) {
	const [name, file, line, module, flags, whole] = D.frames[index];
	return {name: text(name), whole: text(whole), fileIndex: file, file: text(file), line, module: text(module),
		inlined: (flags & 1) !== 0, internal: (flags & 2) !== 0};
}

// Frames of a stack, innermost first, and the one that is the user's.
function stackAt(index) {
	if (index === null || index === undefined)
		return null;
	const [user, ...frames] = D.stacks[index];
	return {frames: frames.map(frameAt), user};
}

function placeOf(frame) {
	return frame.line && frame.file ? shortPath(frame.file) + ":" + frame.line : frame.name;
}

function stackPlace(index) {
	const stack = stackAt(index);
	return stack ? placeOf(stack.frames[stack.user]) : "";
}

function streamName(id) {
	return id ? streamNames.get(id) || "stream " + id : "the host";
}
