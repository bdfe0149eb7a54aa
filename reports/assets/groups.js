// The list of findings: all in a row, or by rule, kernel or place. Only what can be seen is made: open groups, a page of each.
const PRINTED = 5; // more findings than these are printed as they are shown
const PAGE = 100, SMALL = 10; // findings shown at a time; groups up to this size are open
const GROUPINGS = {
	none: {name: "nothing"},
	rule: {name: "rule", isOnRow: true, of: f => ruleTitle(f.rule), note: f => (rules.get(f.rule) || {summary: ""}).summary},
	kernel: {name: "kernel", of: f => [...new Set(f.accesses.map(s => s.kernel_short || s.kernel).filter(k => k))].join(" ↔ ") || "No kernel"},
	place: {name: "place", isOnRow: true, of: f => placesOf(f) || "Unknown places"},
};
let parts = [], partEnd = PAGE; // groups, and how many of them are shown

function groupingOf(list) {
	return choices.by || (list.length > PAGE ? "rule" : "none");
}

// Groups in the order of their worst finding, which is the order of the list.
function makeParts(list, by) {
	const {of, note} = GROUPINGS[by], groups = new Map();
	for (const card of list) {
		const key = of ? of(card.finding) : "";
		if (!groups.has(key))
			groups.set(key, {key, note: note ? note(card.finding) : "", cards: [], end: PAGE, made: 0, isOpen: false});
		groups.get(key).cards.push(card);
	}
	return [...groups.values()];
}

// The row of one finding says its rule and its places itself.
function hasTitle(group) {
	const by = groupingOf(cards);
	return by !== "none" && !(GROUPINGS[by].isOnRow && group.cards.length === 1);
}

// Small groups are open, but not more than a page of findings in all; the first one always is.
function openSmall() {
	let room = PAGE;
	parts.forEach((group, index) => {
		group.isOpen = !index || !hasTitle(group) || group.cards.length <= SMALL && group.cards.length <= room;
		room -= group.isOpen ? Math.min(group.cards.length, PAGE) : 0;
	});
}

function countText(list) {
	const counts = new Map();
	for (const card of list)
		for (const finding of card.findings)
			counts.set(finding.severity, (counts.get(finding.severity) || 0) + 1);
	return [...counts].map(([severity, count]) => severity === "advice" ? `${count.toLocaleString("en")} advice` : plural(count, severity)).join(", ");
}

// Makes the findings of a group that are to be seen and are not there yet.
function fillPart(group) {
	for (; group.isOpen && group.made < Math.min(group.end, group.cards.length); group.made++) {
		const card = group.cards[group.made];
		if (!card.element)
			buildCard(card);
		group.body.append(card.element);
	}
	const left = group.cards.slice(group.made, group.made + PAGE);
	group.more.hidden = !group.isOpen || !left.length;
	group.more.textContent = `Show ${plural(findingsOf(left), "more finding")}`;
	group.body.hidden = !group.isOpen;
	if (group.button)
		group.button.setAttribute("aria-expanded", String(group.isOpen));
}

function setPartOpen(group, isOpen) {
	group.isOpen = isOpen;
	fillPart(group);
	sayShown();
}

function partElement(group, index) {
	group.body = make("div", {class: "group-body", id: "g-" + index});
	group.more = make("button", {type: "button", class: "button", onclick: () => { group.end += PAGE; fillPart(group); sayShown(); }});
	group.button = !hasTitle(group) ? null : make("button", {type: "button", "aria-expanded": "false", "aria-controls": "g-" + index, onclick: () => setPartOpen(group, !group.isOpen)},
		make("span", {class: "what"}, group.key), make("span", {class: "sure"}, countText(group.cards)), group.note ? make("span", {class: "note"}, group.note) : null);
	fillPart(group);
	const isOneRule = group.cards.length > 1 && group.cards.every(card => card.finding.rule === group.cards[0].finding.rule);
	return make("div", {class: (group.button ? "group" : "bare") + (isOneRule ? " one-rule" : "")}, group.button ? make("h3", null, group.button) : null, group.body, make("p", {class: "more-of"}, group.more));
}

// Makes the groups that are to be seen and are not there yet.
function fillList() {
	const list = byId("list");
	for (let i = list.children.length; i < Math.min(partEnd, parts.length); i++)
		list.append(partElement(parts[i], i));
	byId("more").hidden = partEnd >= parts.length;
	byId("more").textContent = `Show ${plural(Math.min(PAGE, parts.length - partEnd), "more group")}`;
	sayShown();
}

// Shows the findings that the filters leave.
function showList(list) {
	parts = makeParts(list, groupingOf(cards));
	partEnd = PAGE;
	openSmall();
	byId("list").replaceChildren();
	fillList();
}

function sayShown() {
	const shown = parts.slice(0, partEnd).flatMap(group => group.isOpen ? group.cards.slice(0, group.made) : []);
	byId("shown").textContent = shownText(parts.reduce((all, group) => all + findingsOf(group.cards), 0), findingsOf(shown), groupingOf(cards) === "none" ? 0 : parts.length);
}

// Makes sure that a finding can be seen.
function reveal(card) {
	const index = parts.findIndex(group => group.cards.includes(card)), group = parts[index];
	partEnd = Math.max(partEnd, Math.ceil((index + 1) / PAGE) * PAGE);
	group.end = Math.max(group.end, Math.ceil((group.cards.indexOf(card) + 1) / PAGE) * PAGE);
	fillList();
	setPartOpen(group, true);
}

function makeGrouping() {
	return make("label", null, "Group by", make("select", {id: "group-by", onchange: event => { remember("by", event.target.value); applyFilters(); }},
		...Object.entries(GROUPINGS).map(([value, {name}]) => make("option", {value, selected: groupingOf(cards) === value}, name))));
}
