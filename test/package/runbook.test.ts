import { readFileSync } from 'node:fs';

import { resources } from '../../nodes/ModelRouter/resources';
import { findSentences } from '../../scripts/docs/sentences';
import { RUNBOOK } from '../../src/n8n/documentation';

const page = readFileSync('docs/runbook.md', 'utf8');
const rows = page
	.split('\n')
	.filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
	.slice(1)
	.map((line) => line.split('|').slice(1, -1));

it('is where errors lead to', () => {
	const { homepage } = JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string };
	expect(RUNBOOK).toBe(homepage.replace('#readme', '/blob/main/docs/runbook.md'));
	expect(rows).toHaveLength(12);
});

it('quotes titles of errors as they are', () => {
	const quoted = rows.flatMap(([seen = '']) => [...seen.matchAll(/\*\*(.+?)\*\*/g)]);
	// a value may stand for "…"
	const titles = findSentences().map(
		({ message }) =>
			new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+')}$`),
	);
	const unknown = quoted.filter(([, title = '']) => !titles.some((one) => one.test(title)));
	expect(quoted.length).toBeGreaterThan(8);
	expect(unknown).toEqual([]);
});

it('names states that exist', () => {
	const named = [...page.matchAll(/state \*\*(.+?)\*\*/g)].map(([, state]) => state);
	const declared = JSON.stringify(resources);
	expect(named).toHaveLength(2);
	expect(named.filter((state) => !declared.includes(`"name":"${state}","value"`))).toEqual([]);
});

it('names operations that exist', () => {
	const names = resources.flatMap(({ name, operations }) =>
		operations.map((operation) => `${name}: ${operation.name}`),
	);
	const named = [...page.matchAll(/\*\*([\w ]+: [A-Z][\w ]+)\*\*/g)].map(([, name]) => name);
	expect(named.length).toBeGreaterThan(5);
	expect(named.filter((name) => !names.includes(name!))).toEqual([]);
});
