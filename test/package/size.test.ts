import { readFileSync, writeFileSync } from 'node:fs';

import { countTokens, findGrowth, readSizes, recordShrinking, type Sizes } from './size';

const RECORD = 'test/package/sizes.json';
const readRecord = () => JSON.parse(readFileSync(RECORD, 'utf8')) as Sizes;

it('no folder has grown by more than its commit names', () => {
	const now = readSizes();
	expect(findGrowth(readRecord(), now)).toEqual([]);
	if (process.env['AGENT_BRIDGE_SIZES'] === 'write')
		writeFileSync(RECORD, `${JSON.stringify(recordShrinking(readRecord(), now), null, '\t')}\n`);
});

it('growth is told by folder, and never recorded by itself', () => {
	const recorded = { 'src/core': 100, 'src/gone': 5, nodes: 10 };
	const now = { 'src/core': 101, 'src/new': 7, nodes: 8 };
	expect(findGrowth(recorded, now)).toEqual([
		'src/core has grown by 1 tokens: say what for in the commit, and write "src/core": 101 into test/package/sizes.json',
		'src/new has grown by 7 tokens: say what for in the commit, and write "src/new": 7 into test/package/sizes.json',
	]);
	expect(recordShrinking(recorded, now)).toEqual({ 'src/core': 100, nodes: 8 });
});

it('how lines are broken does not count', () => {
	const packed = "const a = { ...{ b: 1, c: 'two words' } };";
	const apart = "// what it is\nconst a = {\n\t...{\n\t\tb: 1,\n\t\tc: 'two words'\n\t}\n};\n";
	expect([countTokens(packed), countTokens(apart)]).toEqual([16, 16]);
});

it('what follows a template counts as the code that it is', () => {
	expect(countTokens('const a = `of ${b} and ${c}`;\nconst d = 1;\nconst e = `f`;')).toBe(19);
});
