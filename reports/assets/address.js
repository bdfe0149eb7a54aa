// The address after "#": a process, a finding or a part of the page, and what the reader chose: "#p2,f-…,by=kernel,at=beside".
const CHOICES = {by: ["none", "rule", "kernel", "place"], at: ["below", "above", "beside"]};
const choices = choicesOf(addressWords());

function addressWords() {
	return location.hash.slice(1).split(",").filter(word => word);
}

function isChoice(word) {
	return /^[a-z]+=/.test(word);
}

function choicesOf(words) {
	const chosenOf = key => words.filter(word => word.startsWith(key + "=")).map(word => word.slice(key.length + 1)).find(value => CHOICES[key].includes(value));
	return Object.fromEntries(Object.keys(CHOICES).map(key => [key, chosenOf(key)]));
}

// The finding that the address names, or "".
function addressedFinding() {
	return addressWords().find(word => word.startsWith("f-")) || "";
}

// Writes the choices into the address; the page stays where it is.
function writeChoices() {
	const kept = Object.entries(choices).filter(([, value]) => value).map(([key, value]) => `${key}=${value}`);
	const words = [...addressWords().filter(word => !isChoice(word)), ...kept].join(",");
	if (words !== location.hash.slice(1))
		history.replaceState(null, "", words ? "#" + words : location.pathname + location.search);
}

function remember(key, value) {
	choices[key] = value;
	writeChoices();
}
