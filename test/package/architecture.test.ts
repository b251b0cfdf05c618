import { globSync, readFileSync } from 'node:fs';

import { importCircles, violations } from './imports';
import { largeFunctions } from './size';

const files = globSync('{src,nodes,credentials}/**/*.ts').sort();
const texts = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));

it('finds the sources', () => {
	expect(files.length).toBeGreaterThan(50);
});

it.each(Object.entries(texts))('%s keeps the rules of the house', (file, text) => {
	expect(violations(file, text)).toEqual([]);
});

it('no function is larger than a reader can hold in mind', () => {
	const large = Object.entries(texts).flatMap(([file, text]) =>
		largeFunctions(file, text).map((sentence) => `${file}: ${sentence}`),
	);
	expect(large).toEqual([]);
});

it('a spread that packs fields is told', () => {
	const packed = 'export const a = { ...{ b: 1, c: 2 } };\nexport const d = [...[1, 2]];\n';
	expect(largeFunctions('src/core/x.ts', packed)).toHaveLength(2);
	expect(largeFunctions('src/core/x.ts', 'export const a = { ...(b && { c: 1 }) };')).toEqual([]);
});

it('no files import each other in a circle', () => {
	expect(importCircles(texts)).toEqual([]);
});

it.each<[string, string, string[]]>([
	['src/router/x.ts', "import { a } from '../agent/messages';", ['imports src/agent']],
	['src/agent/x.ts', "import type { INode } from 'n8n-workflow';", ['imports n8n-workflow']],
	['src/core/x.ts', "export { a } from '../n8n/http';", ['imports src/n8n']],
	['src/core/x.ts', "import { readFile } from 'node:fs';", ['imports fs']],
	['src/n8n/x.ts', "await import('undici');", ['imports undici']],
	['src/n8n/x.ts', "require('http');", ['imports http']],
	['src/n8n/x.ts', 'require(name);', ['imports something computed']],
	['credentials/x.ts', "type A = import('axios').AxiosError;", ['imports axios']],
	['credentials/x.ts', "import { a } from '../nodes/A/a';", ['imports nodes']],
	['src/n8n/x.ts', "import { a } from '../../test/service/world';", ['imports test/service/world']],
	[
		'src/n8n/x.ts',
		"import { type INode, assertUrlAllowed as check } from 'n8n-workflow';",
		['imports assertUrlAllowed, which older versions of n8n lack'],
	],
	['src/other/x.ts', '', ['src/other/x.ts is in no known folder']],
	['src/core/utils.ts', '', ['the name utils.ts says nothing']],
	['src/core/x.ts', '\n'.repeat(301), ['301 lines']],
	['src/core/x.ts', '// eslint-disable-next-line', ['switches the linter off']],
	['src/core/x.ts', '// @ts-ignore', ['switches the compiler off']],
	['src/core/x.ts', "import { a } from './json'; // from 'axios'", []],
])('the rules know what is wrong in %s (row %#)', (path, text, expected) => {
	expect(violations(path, text)).toEqual(expected);
});

it('a circle is found through types and through several files', () => {
	const circle = {
		'src/core/a.ts': "import type { B } from './b';",
		'src/core/b.ts': "export { c } from './c';",
		'src/core/c.ts': "import { a } from './a'; import { d } from './d';",
		'src/core/d.ts': "import { readFile } from 'node:fs';",
	};
	const [a, b, c] = Object.keys(circle);
	expect(importCircles(circle)).toEqual([[a, b, c, a]]);
});
