// Copy buttons: by the clipboard, else by the browser's older command, else the text stands there, selected.
function copyByCommand(area) {
	area.focus();
	area.select();
	try {
		return document.execCommand("copy");
	} catch (error) {
		return false;
	}
}

// Where no way of copying is allowed, the reader copies the text by hand.
function offerText(holder, name, words, button) {
	const area = make("textarea", {readonly: true, "aria-label": `The ${name}, to copy`, rows: Math.min(8, words.split("\n").length)});
	area.value = words;
	holder.append(area);
	if (copyByCommand(area)) {
		area.remove();
		button.focus();
		return true;
	}
	return false;
}

async function copy(holder, name, words, button) {
	const state = holder.querySelector("[role=status]");
	let isCopied = true;
	holder.querySelectorAll("textarea").forEach(area => area.remove());
	try {
		await navigator.clipboard.writeText(words);
	} catch (error) {
		isCopied = offerText(holder, name, words, button);
	}
	state.textContent = isCopied ? `Copied the ${name}.` : `This browser lets no page copy: press Ctrl+C (⌘C) to copy the ${name}.`;
}

// What of a finding is used elsewhere: the command that explains it, its fingerprint, its suppression.
function copyElement(finding) {
	const holder = make("div", {class: "copy"}), button = (name, words) => make("button", {type: "button", class: "button", onclick: event => copy(holder, name, words, event.currentTarget)}, "Copy " + name);
	holder.append(button("command", finding.explain), button("fingerprint", finding.fingerprint));
	if (finding.suppression)
		holder.append(button("suppression", finding.suppression));
	holder.append(make("span", {role: "status", class: "note"}));
	return holder;
}
