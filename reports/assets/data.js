// The data of the report, and how it becomes elements: always as text, never as markup.
"use strict";
const ALL = JSON.parse(document.getElementById("data").textContent);
// Numbers below zero stand for values that are shared, and name others (reports/html/html_pack.h).
function unpacked({shared, ...data}) {
	const isWhole = [], whole = value => {
		if (typeof value === "number")
			return value < 0 ? sharedAt(-1 - value) : value;
		for (const key in value !== null && typeof value === "object" ? value : {})
			value[key] = whole(value[key]);
		return value;
	};
	const sharedAt = index => {
		shared[index] = isWhole[index] ? shared[index] : whole(shared[index]);
		isWhole[index] = true;
		return shared[index];
	};
	return whole(data);
}

// The JSON report of a process, and beside it what only this page shows.
function processOf({report, page}) {
	report.findings.forEach((finding, index) => Object.assign(finding, page.drawings[index]));
	for (const side of report.findings.flatMap(finding => finding.accesses))
		Object.assign(side, {op: side.op || "operation", lane: side.op_stream_id ?? side.stream_id});
	return {...report, ...page, ...report.process};
}

ALL.processes = ALL.processes.map(unpacked).map(processOf);
// The address names a process, "#p2", a finding, "#f-…" of the first one, or both, "#p2,f-…"; the first process is "#p1".
const chosen = chooseProcess();
// Of summaries alone there is no process to show.
const D = ALL.processes[chosen] || {command: "", id: null, rank: null, directory: "", sources: [], lanes: [], findings: [], coverage: {}, gaps: [], counts: [0, 0, 0, 0], complete: true, simulated: null};
const rules = new Map(ALL.rules.map(rule => [rule.id, rule]));
const sources = new Map(D.sources.map(([path, lines]) => {
	const byNumber = new Map();
	for (let i = 0; i < lines.length; i += 2)
		byNumber.set(lines[i], lines[i + 1]);
	return [path, byNumber];
}));
const newerSources = new Set(D.sources.filter(([, , isNewer]) => isNewer).map(([path]) => path));
const streamNames = new Map(D.lanes.map(lane => [lane.id, lane.name]));

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

function nameOf(frame) {
	return frame.short || frame.function;
}

// The frame of a stack that is the user's, if the stack has one.
function userFrame(frames) {
	return (frames || []).find(frame => frame.user);
}

function placeOf(frame) {
	return frame.line && frame.file ? shortPath(frame.file) + ":" + frame.line : nameOf(frame);
}

function stackPlace(frames) {
	const frame = userFrame(frames);
	return frame ? placeOf(frame) : "";
}

function streamName(id) {
	return id ? streamNames.get(id) || "stream " + id : "the host";
}
