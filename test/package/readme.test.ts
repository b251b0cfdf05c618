import { readFileSync } from 'node:fs';

import { allNodes } from '../../scripts/docs/nodePages';

const readme = readFileSync('README.md', 'utf8');

it('names the two commands in their order, and stays readable', () => {
	const [demo, test] = [readme.indexOf('npm run demo'), readme.indexOf('npm test')];
	expect(demo).toBeGreaterThan(0);
	expect(test).toBeGreaterThan(demo);
	expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
	const paragraphs = readme.split('\n').filter((line) => !line.startsWith('|'));
	expect(paragraphs.filter((line) => line.length > 400)).toEqual([]);
});

it('names every node that n8n loads', () => {
	expect(
		allNodes.map(({ displayName }) => displayName).filter((name) => !readme.includes(name)),
	).toEqual([]);
});

it('says the cap that every node has from the start', () => {
	const caps = allNodes
		.flatMap(({ properties }) => properties)
		.filter(({ name }) => /^spendingCapPer(Item|Call|Conversation)$/.test(name));
	expect(new Set(caps.map((cap) => cap.default))).toEqual(new Set([1]));
	expect(readme).toContain('1 USD for each item or conversation');
});

it('has a row for every version of n8n that "npm run test:versions" runs', () => {
	const versions = JSON.parse(readFileSync('test/versions/versions.json', 'utf8')) as Array<{
		n8n: string;
		lacks?: string[];
	}>;
	const [, rest = ''] = readFileSync('docs/known-limits.md', 'utf8').split(
		'<!-- versions: written by `npm run test:versions -- --write` -->\n',
	);
	const [table = ''] = rest.trim().split('\n\n');
	const rows = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
	expect(rows.slice(2).map(([, version]) => version)).toEqual(versions.map(({ n8n }) => n8n));
	// a version that lacks nothing has no other word
	const { n8n } = versions.find(({ lacks }) => lacks?.length === 0) ?? {};
	const [, , ...cells] = rows.find(([, version]) => version === n8n) ?? [];
	expect(new Set(cells.filter(Boolean))).toEqual(new Set(['yes']));
});
