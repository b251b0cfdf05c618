import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { createTransformer } from '../support/jitter/transformer.cjs';

const transformer = createTransformer({
	jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
	module: { type: 'commonjs' },
});
const root = join(__dirname, '..', '..');
const rewritten = (path: string, text: string) =>
	transformer.process(text, join(root, path), { supportsStaticESM: false }).code;

const SOURCE = `export async function sum(list: AsyncIterable<Promise<number>>): Promise<number> {
	let all = 0;
	for await (const each of list) if (each) all += await add(
		await each,
	);
	return await (await given).all + all;
}
const sleep = async (ms: number) => ms;
const add = async (one: number) => await sleep(one);
const given = Promise.resolve({ all: 100 });
`;

async function* numbers() {
	yield* [1, 2];
}

it.each(['src/n8n/x.ts', 'nodes/X/x.ts', 'test/service/x.ts', 'test/engine/rig/x.ts'])(
	'%s pauses at every await, and does the same',
	async (path) => {
		const places: string[] = [];
		const sandbox = {
			exports: {} as { sum?: (list: AsyncIterable<number>) => Promise<number> },
			agentBridgePause: async <Value>(place: string, value: Value) => {
				places.push(place);
				return await value;
			},
		};
		runInNewContext(rewritten(path, SOURCE), sandbox);
		expect(await sandbox.exports.sum?.(numbers())).toBe(103);
		// a pause begins once what is waited for was called: the innermost one first
		const perPiece = [`${path}:3`, `${path}:4`, `timer ${path}:9`, `${path}:3`];
		const inOrder = (list: string[]) => [...list].sort();
		expect(inOrder(places)).toEqual(inOrder([...perPiece, ...perPiece, `${path}:6`, `${path}:6`]));
	},
);

it.each(['src/n8n/x.test.ts', 'test/unit/x.ts', 'test/service/x.test.ts', 'credentials/x.ts'])(
	'%s is left as it is',
	(path) => {
		expect(rewritten(path, SOURCE)).not.toContain('agentBridgePause');
	},
);
