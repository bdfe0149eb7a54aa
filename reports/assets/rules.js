// The pages of the rules, from docs/rules: each once, made when it is opened. Of Markdown they use headings, paragraphs, lists, code and links.
function inlineParts(line) {
	return line.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map(part => {
		const linked = /^\[([^\]]+)\]\((?:SC-(\d+)\.md)?/.exec(part);
		return part.startsWith("`") && part.length > 2 ? make("code", null, part.slice(1, -1)) : !linked ? part
			: linked[2] && byId("rule-" + linked[2]) ? ruleButton("SC-" + linked[2], linked[1]) : linked[1];
	}).filter(part => part !== "");
}

function blockElement(block) {
	const [first, ...rest] = block.split("\n");
	if (first.startsWith("#"))
		return make("h3", null, first.replace(/^#+\s*/, ""), rest.length ? " " + rest.join(" ") : "");
	if (/^[*-] /.test(first))
		return make("ul", null, ...block.split(/\n?^[*-] /m).filter(item => item).map(item => make("li", null, ...inlineParts(item.replace(/\s+/g, " ")))));
	return make("p", null, ...inlineParts(block.replace(/\n/g, " ")));
}

// Text and code take turns; the title stands in the summary already.
function pageElements(page, name) {
	return page.replace(/^# .*\n/, "").split(/^```.*\n/m).flatMap((part, index) => index % 2
		? [make("pre", {class: "source code-block", tabindex: "0", role: "group", "aria-label": `Code ${(index + 1) / 2} of ${name}`}, part.trimEnd())]
		: part.split(/\n{2,}/).map(block => block.trim()).filter(block => block).map(blockElement));
}

// "rule-105" of "SC-105".
function ruleElementId(id) {
	return "rule-" + id.slice("SC-".length);
}

function openRule(id) {
	const element = byId(ruleElementId(id));
	element.open = true;
	element.querySelector("summary").focus();
	element.scrollIntoView({block: "start"});
}

function ruleButton(id, name) {
	return make("button", {type: "button", class: "link", onclick: () => openRule(id)}, name);
}

// The rule of a finding, as a way to its page if that is in the file.
function ruleElement(id) {
	const rule = rules.get(id);
	return rule && rule.page ? ruleButton(id, ruleTitle(id)) : "";
}

function rulePage(rule) {
	const body = make("div", {class: "page"}), fill = () => body.hasChildNodes() || body.append(...pageElements(rule.page, ruleTitle(rule.id)));
	return make("details", {class: "rule", id: ruleElementId(rule.id), ontoggle: fill}, make("summary", null, make("b", null, ruleTitle(rule.id)), ": " + rule.summary), body);
}

function startRules() {
	const used = ALL.rules.filter(rule => rule.page);
	byId("rules").hidden = byId("nav-rules").hidden = !used.length;
	byId("rules-body").append(...used.map(rulePage));
}
