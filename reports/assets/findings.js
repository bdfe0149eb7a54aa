// The list of findings: filters, cards, details made when a card is first opened.
const cards = [], cardAt = [], HELD = 100; // cardAt: by finding; HELD: streams listed that a line held up
const FILTERS = [
	{key: "severity", name: "Severity", of: f => [f.severity]},
	{key: "confidence", name: "Confidence", of: f => [f.confidence]},
	{key: "rule", name: "Rule", of: f => [f.rule, ...f.causes].map(ruleTitle)},
	{key: "stream", name: "Stream", of: f => f.accesses.map(s => streamName(s.stream_id))},
	{key: "file", name: "File", of: f => f.accesses.flatMap(filesOf)},
];

function ruleTitle(id) {
	const rule = rules.get(id);
	return id + (rule ? " " + rule.slug : "");
}

function filesOf(side) {
	return userFrame(side.frames) ? [...new Set(side.frames.filter(f => !f.internal && f.file).map(f => shortPath(f.file)))] : [];
}

function fact(list, name, ...content) {
	if (content.length && content[0])
		list.append(make("dt", null, name), make("dd", null, ...content));
}

function sideElement(finding, i) {
	const side = finding.accesses[i];
	const title = finding.accesses.length > 1 ? ["First", "Then"][i] : "Where";
	const thread = finding.accesses.length > 1 && finding.accesses.every(s => s.thread) && finding.accesses[0].thread !== finding.accesses[1].thread ? ", in thread " + side.thread : "";
	return make("div", null, make("h4", null, title + ": " + side.mode + (side.exact ? "" : ", bytes not known exactly")),
		make("p", {class: "phrase"}, side.op + thread),
		deviceText(side) ? make("p", {class: "note"}, deviceText(side)) : null, excerpt(side.frames, 3), stackElement(side.frames));
}

// When the device ran the operation, where that was measured.
function deviceText({when}) {
	if (!when || when.called_ns === undefined)
		return "";
	return "on the device " + (when.from_ns < when.called_ns ? "" : timeText(when.from_ns - when.called_ns) + " after the call, ") + "for " + timeText(when.to_ns - when.from_ns);
}

function heldTable({held}) {
	return held.length > 1 ? table("Delayed streams", ["Stream", "How long", "Times"], held.slice(0, HELD).map(one => [streamName(one.stream_id), timeText(one.ns), one.count])) : "";
}

// "Stream", "Event", "Graph": the last word of the noun.
function objectTitle(made) {
	const word = made.object.split(" ").pop();
	return word[0].toUpperCase() + word.slice(1);
}

// Where the memory began and ended.
function historyOf({allocation, freed}) {
	return [...(allocation ? [[allocation.op === "pin" ? "registered" : "allocated", allocation]] : []), ...(freed ? [[freed.op === "unpin" ? "unregistered" : "freed", freed]] : [])];
}

function factsElement(finding) {
	const list = make("dl", {class: "facts"});
	fact(list, "Bytes", finding.bytes);
	for (const [what, {frames, sequence}] of historyOf(finding))
		fact(list, "Memory", make("details", null, make("summary", null, `${what} at ${stackPlace(frames) || "an unknown place"}, operation ${sequence}`),
			excerpt(frames, 1), stackElement(frames)));
	for (const made of finding.objects)
		fact(list, objectTitle(made), (made.text || "").replace(/^stream \d+/, () => streamName(made.id)));
	if (finding.library)
		fact(list, "Library", `what ${finding.library} does with itself`);
	fact(list, "Order", finding.order);
	fact(list, "Fault", finding.fault);
	fact(list, "Ranks", finding.ranks);
	fact(list, "Timing", (finding.timing || {}).text);
	fact(list, "Reruns", (finding.reruns || {}).text);
	if (finding.cost)
		fact(list, "Cost", finding.cost.text, heldTable(finding.cost));
	for (const id of finding.causes)
		fact(list, "Cause", ruleTitle(id) + ": " + (rules.get(id) || {summary: ""}).summary);
	fact(list, "Doubt", finding.doubt);
	if (finding.decided_by)
		fact(list, "Decide", make("code", null, finding.decided_by[0]));
	fact(list, "Rule", ruleElement(finding.rule));
	fact(list, "Why", (rules.get(finding.rule) || {why: ""}).why);
	if (finding.count > 1)
		fact(list, "Seen", plural(finding.count, "time"));
	fact(list, "Explain", make("code", null, finding.explain));
	fact(list, "Fingerprint", make("code", null, finding.fingerprint));
	fact(list, "Identity", make("code", null, finding.identity));
	return list;
}

function fillDetail(detail, f) {
	const drawing = drawingElement(f);
	detail.append(make("div", {class: f.accesses.length > 1 ? "sides" : "sides one"}, ...f.accesses.map((s, i) => sideElement(f, i))));
	if (drawing)
		detail.append(make("h4", null, f.accesses.length > 1 && f.order !== null ? "The order that is missing" : "In the run"), drawing);
	else if (D.findings.indexOf(f) >= D.drawn)
		detail.append(make("p", {class: "note"}, `Only the first ${D.drawn.toLocaleString("en")} findings have drawings; streamcheck explain shows the order of this one.`));
	detail.append(fixElement(f), timesElement(f) || "", factsElement(f), copyElement(f), make("p", null, make("button", {type: "button", class: "button",
		onclick: () => showOperation(f.accesses[0].sequence, f.accesses.length > 1 ? f.accesses[1].sequence : null)}, "Show in the time line")));
}

// Another finding of a card, made when it is first opened.
function moreElement(finding) {
	const detail = make("div");
	const element = make("details", {class: "more", id: "f-" + finding.identity, ontoggle: () => detail.hasChildNodes() || fillDetail(detail, finding)},
		make("summary", null, (finding.cause === undefined ? "Also: " : `Also, for the same reason: ${finding.number} · ${finding.rule}, `)
			+ finding.accesses.map(s => s.op).join(" ↔ ") + (finding.cause === undefined ? "" : " · " + placesOf(finding))), detail);
	return element;
}

function fillCard(card) {
	if (card.detail.hasChildNodes())
		return;
	fillDetail(card.detail, card.finding);
	card.detail.append(...card.findings.slice(1).map(moreElement));
}

function setOpen(card, isOpen) {
	if (isOpen)
		fillCard(card);
	card.detail.hidden = !isOpen;
	card.button.setAttribute("aria-expanded", String(isOpen));
}

// What a card is filtered and searched by; made when it is first needed.
function valuesOf(card) {
	if (!card.values)
		card.values = new Map(FILTERS.map(filter => [filter.key, new Set(card.findings.flatMap(filter.of))]));
	return card.values;
}

function wordsOf(card) {
	if (!card.words)
		card.words = card.findings.map(wordsOfFinding).join("\n");
	return card.words;
}

function wordsOfFinding(finding) {
	const rule = rules.get(finding.rule) || {slug: "", summary: ""};
	return [rule.slug, rule.summary, placesOf(finding), finding.order, finding.bytes, ...finding.causes.map(ruleTitle), finding.rule,
			...finding.accesses.map(s => s.op), ...finding.accesses.flatMap(s => (userFrame(s.frames) ? s.frames : []).map(nameOf))].join("\n").toLowerCase();
}

function placesOf(finding) {
	return finding.accesses.map(s => stackPlace(s.frames)).filter(p => p).join(" ↔ ");
}

// What distinguishes findings of the same places, or of a stripped program.
function apartOf(finding) {
	const numbers = finding.accesses.map(s => s.sequence), streams = finding.accesses.map(s => streamName(s.lane));
	return [(numbers.length > 1 ? "operations " : "operation ") + numbers.join(" ↔ "), streams.join(" ↔ "), finding.bytes].filter(part => part).join(" · ");
}

function timesOf(card) {
	return card.findings.reduce((all, finding) => all + finding.count, 0);
}

function findingsOf(list) {
	return list.reduce((all, card) => all + card.findings.length, 0);
}

function buildCard(card) {
	const finding = card.finding, index = card.number;
	const rule = rules.get(finding.rule) || {slug: "unknown-rule", summary: "unknown rule"};
	const severity = finding.severity;
	card.detail = make("div", {class: "detail", id: "d-" + index, hidden: true});
	card.button = make("button", {type: "button", "aria-expanded": "false", "aria-controls": "d-" + index,
		onclick: () => setOpen(card, card.detail.hidden)},
	make("span", {class: "badge " + severity}, `${finding.number} · ${severity} ${finding.rule}`),
	make("span", {class: "what"}, rule.summary),
	make("span", {class: "sure"}, [finding.confidence, ...(card.findings.length > 1 ? [plural(card.findings.length, "finding")] : []),
		...(timesOf(card) > card.findings.length ? [plural(timesOf(card), "time")] : [])].join(" · ")),
	make("span", {class: "places"}, placesOf(finding)), make("span", {class: "apart"}, apartOf(finding)));
	card.element = make("article", {class: "finding " + severity, id: "f-" + finding.identity}, make("h3", null, card.button), card.detail);
}

function applyFilters() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(w => w);
	const fit = cards.filter(card => FILTERS.every(f => !byId("filter-" + f.key).value || valuesOf(card).get(f.key).has(byId("filter-" + f.key).value))
		&& words.every(word => wordsOf(card).includes(word)));
	showList(fit);
}

function shownText(fit, shown, groups) {
	const [advice, warning, error] = D.counts, all = advice + warning + error;
	if (!D.findings.length)
		return D.complete ? "Nothing was found." : "Nothing was found in what was recorded.";
	return (fit === D.findings.length ? plural(fit, "finding") : `${fit} of ${plural(D.findings.length, "finding")}`)
		+ (groups ? ` in ${plural(groups, "group")}` : "") + (shown < fit ? `, ${groups ? "" : "the first "}${plural(shown, "is", "are")} shown` : "")
		+ (all > D.findings.length ? `. Of ${plural(all, "finding")} in the run the worst ${D.findings.length} are in this file; the JSON report has all` : "");
}

// After the form was emptied; how findings are grouped stays.
function showAll() {
	byId("group-by").value = groupingOf(cards);
	applyFilters();
}

function makeFilters() {
	const form = byId("filters");
	form.addEventListener("submit", event => event.preventDefault());
	form.append(make("label", null, "Search", make("input", {type: "search", id: "search", oninput: applyFilters, placeholder: "function, file, rule, bytes…"})));
	for (const filter of FILTERS) {
		const counts = new Map();
		for (const finding of D.findings)
			for (const value of new Set(filter.of(finding)))
				counts.set(value, (counts.get(value) || 0) + 1);
		form.append(make("label", null, filter.name, make("select", {id: "filter-" + filter.key, onchange: applyFilters}, make("option", {value: ""}, "all"),
			...[...counts.keys()].sort().map(value => make("option", {value}, `${value} (${counts.get(value)})`)))));
	}
	form.append(makeGrouping(), make("button", {type: "reset", class: "button", onclick: () => setTimeout(showAll)}, "Show all"));
	form.hidden = !cards.length;
}

// Findings that lack a kernel's code are one card for each pair of places; what follows from another finding is in its card.
function makeCards() {
	const groups = new Map(), byNumber = new Map(), shown = new Set(D.findings.map(finding => finding.number));
	const follows = finding => shown.has(finding.cause);
	for (const finding of D.findings) {
		if (follows(finding))
			continue;
		const card = groups.get(finding.group) || {finding, findings: [], number: cards.length};
		card.findings.push(finding);
		byNumber.set(finding.number, card);
		if (card.number === cards.length)
			cards.push(card);
		if (finding.group !== undefined)
			groups.set(finding.group, card);
	}
	for (const finding of D.findings) {
		const card = byNumber.get(follows(finding) ? finding.cause : finding.number);
		if (follows(finding))
			card.findings.push(finding);
		cardAt.push(card);
	}
}

function openFinding(card, id) {
	for (const filter of FILTERS)
		byId("filter-" + filter.key).value = "";
	byId("search").value = "";
	applyFilters();
	reveal(card);
	setOpen(card, true);
	const more = byId(id);
	if (more && more !== card.element)
		more.open = true;
	card.button.focus();
	(more || card.element).scrollIntoView({block: "start"});
}

// Arrow keys go from finding to finding.
function moveFocus(event) {
	const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
	const shown = [...byId("list").querySelectorAll("h3 > button")].filter(button => button.getClientRects().length), at = shown.indexOf(document.activeElement);
	if (!step || at < 0 || !shown[at + step])
		return;
	event.preventDefault();
	shown[at + step].focus();
}

// Opens the finding that the address names; false if it names none.
function openAddressed() {
	const id = addressedFinding(), card = id && cards.find(one => one.findings.some(finding => "f-" + finding.identity === id));
	if (card)
		openFinding(card, id);
	return Boolean(card);
}

function startFindings() {
	makeCards();
	byId("more").addEventListener("click", () => {
		partEnd += PAGE;
		fillList();
	});
	byId("list").addEventListener("keydown", moveFocus);
	makeFilters();
	applyFilters();
	if (D.repair)
		byId("shown").after(make("p", {class: "note", id: "repair"}, D.repair.text));
	if (!openAddressed() && cards.length)
		setOpen(parts[0].cards[0], true);
	const opened = [];
	// Of few findings all is printed, of many what is open.
	addEventListener("beforeprint", () => cards.filter(c => c.element && c.element.getClientRects().length && c.detail.hidden)
		.filter((card, at, closed) => closed.length < PRINTED).forEach(card => { opened.push(card); setOpen(card, true); }));
	addEventListener("afterprint", () => opened.splice(0).forEach(card => setOpen(card, false)));
}
