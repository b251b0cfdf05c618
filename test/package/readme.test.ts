import { readFileSync } from 'node:fs';

import { resources as agent } from '../../nodes/WorkspaceAgent/resources';
import { resources as assistant } from '../../nodes/MarketAssistant/resources';
import { resources as router } from '../../nodes/ModelRouter/resources';

const readme = readFileSync('README.md', 'utf8');

it('names every operation as the editor does, and no other', () => {
	const rows = Object.entries({
		'Workspace Agent': agent,
		'Market Assistant': assistant,
		'Model Router': router,
	}).flatMap(([node, resources]) =>
		resources.flatMap((resource) =>
			resource.operations.map(
				({ name, description }) => `| ${node} | ${resource.name} | ${name} | ${description} |`,
			),
		),
	);
	const [, table = ''] = readme.split('<!-- operations: compared with the nodes by a test -->\n');
	const given = table
		.trim()
		.split('\n\n')[0]
		?.split('\n')
		.slice(2)
		.map((row) => row.replace(/ +/g, ' '));
	expect(given).toEqual(rows);
});

it('begins with the two commands, and stays readable', () => {
	expect(readme.indexOf('npm run demo')).toBeLessThan(readme.indexOf('npm test'));
	expect(readme.indexOf('npm test')).toBeLessThan(readme.indexOf('## Install'));
	expect(readme.split('\n').length).toBeLessThanOrEqual(250);
});

it('has a row for every version of n8n that "npm run test:versions" runs', () => {
	const versions = JSON.parse(readFileSync('test/versions/versions.json', 'utf8')) as Array<{
		n8n: string;
		lacks?: string[];
	}>;
	const [, rest = ''] = readme.split(
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
