// Reads CHANGELOG.md: a heading for each version, below it groups, in each group one entry per change.

/** In this order. The first one says what users have to do, and is left out when that is nothing. */
const groupTitles = ['Before you update', 'New', 'Changed', 'Fixed'];

/**
 * @param {string} text
 * @returns the versions in the order of the file, each with its groups and its whole text
 */
export function readChangelog(text) {
	return text
		.split(/^## /m)
		.slice(1)
		.map((section) => {
			const [version = '', ...lines] = section.split('\n');
			const [introduction = '', ...groups] = lines.join('\n').split(/^### /m);
			return {
				version: version.trim(),
				text: lines.join('\n').trim(),
				loose: /^- /m.test(introduction),
				groups: groups.map((group) => {
					const [title = '', ...rest] = group.split('\n');
					return { title: title.trim(), entries: rest.filter((line) => line.startsWith('- ')) };
				}),
			};
		});
}

/**
 * @param {string} text
 * @param {string} version
 * @returns what keeps `version` from being released, as sentences
 */
export function findChangelogProblems(text, version) {
	const versions = readChangelog(text);
	const section = versions.find((one) => one.version === version);
	if (!section) {
		return [
			`CHANGELOG.md has no heading "## ${version}": add it above the others, with what changed for people who build workflows`,
		];
	}
	const problems = [];
	const [newest] = versions;
	if (newest !== section)
		problems.push(`the first heading of CHANGELOG.md is "${newest?.version}", not ${version}`);
	if (section.loose)
		problems.push(`an entry of ${version} is above the first group: put it below ${listOfTitles}`);
	const titles = section.groups.map(({ title }) => title);
	const unknown = titles.filter((title) => !groupTitles.includes(title));
	if (unknown.length)
		problems.push(`"### ${unknown[0]}" is no group of a version: use ${listOfTitles}`);
	else if (titles.join() !== groupTitles.filter((title) => titles.includes(title)).join())
		problems.push(`the groups of ${version} are not each there once, in the order ${listOfTitles}`);
	if (section.groups.every(({ entries }) => entries.length === 0) && !section.loose)
		problems.push(`${version} has no entry in CHANGELOG.md: say what changed, one "- " per change`);
	for (const { title, entries } of section.groups) {
		if (entries.length === 0) problems.push(`"### ${title}" of ${version} is empty: remove it`);
		for (const entry of entries) problems.push(...findEntryProblems(entry));
	}
	return problems;
}

const listOfTitles = groupTitles.map((title) => `"### ${title}"`).join(', ');

/** @param {string} entry */
function findEntryProblems(entry) {
	const beginning = `the entry "${entry.slice(2, 60)}…"`;
	if (/\b(TODO|TBD|FIXME)\b/.test(entry)) return [`${beginning} is not finished`];
	const path = /\b(?:src|test|scripts)\/[\w./-]+/.exec(entry)?.[0];
	if (path) return [`${beginning} names ${path}: entries are for people who build workflows`];
	if (!/[.!)]$/.test(entry.trimEnd())) return [`${beginning} does not end as a sentence`];
	return [];
}
