import { writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';

import { agent, assistant, chat, secretsOf } from '../engine/rig/calls';
import { useModel } from '../engine/rig/chatModel';
import { converse } from '../engine/rig/converse';
import { startLedgerRig } from '../engine/rig/ledger';
import { run } from '../engine/rig/run';
import { startService, type Service } from '../service/service';
import type { Samples } from './row';

let service: Service;
const rig = startLedgerRig();
beforeAll(async () => void (service = await startService()));
afterAll(async () => await service.stop());

const found: Samples = {};
// the row of the benchmark
const file = process.env['AGENT_BRIDGE_SAMPLES'];
afterAll(() => file && writeFileSync(file, JSON.stringify(found)));

/** Counts files entered, functions and calls of our code while `call` runs, by V8's coverage. */
async function counted<Result>(way: string, call: () => Promise<Result>): Promise<Result> {
	const session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
	await session.post('Profiler.takePreciseCoverage');
	const outcome = await call();
	const { result } = await session.post('Profiler.takePreciseCoverage');
	session.disconnect();
	const perFile = result
		.filter(
			({ url }) => /\/(src|nodes|credentials)\/.*\.ts$/.test(url) && !/node_modules/.test(url),
		)
		.map(({ functions }) => functions.map(callsOf).filter((calls) => calls > 0))
		.filter((functions) => functions.length > 0);
	const functions = perFile.flat();
	const calls = functions.reduce((sum, each) => sum + each, 0);
	found[way] = [{ calls, functions: functions.length, files: perFile.length }];
	return outcome;
}

/** The function that begins where its file begins is the file itself. The getters are the transpiler's: each leads to an export. */
const callsOf = ({ functionName, ranges: [whole] }: Profiler.FunctionCoverage) =>
	whole && whole.startOffset > 0 && !/^get( |$)/.test(functionName) ? whole.count : 0;

let number = 0;
const secrets = () => secretsOf(service);
const ways: Record<string, () => Promise<{ error: unknown }>> = {
	'text message': async () => await run({ ...chat(`hello ${++number}`), secrets: secrets() }),
	'agent message': async () =>
		await run({ ...agent({ message: `hi ${++number}` }), secrets: secrets() }),
	question: async () =>
		await run({ ...assistant('ask', { question: `hi ${++number}` }), secrets: secrets() }),
	'start with a ledger': async () => await run(rig.starting(`one ${++number}`, {})),
	'conversation of 3 turns': async () =>
		await converse({
			parameters: { turnLimit: 3 },
			speakers: { Ada: () => ({ output: 'a' }), Bob: () => ({ output: 'b' }) },
		}),
};

it.each(Object.keys(ways))('%s runs functions of ours', async (way) => {
	// the first time, what is kept is made as well
	for (let time = 0; time < 2; time++)
		expect((await counted(way, ways[way]!)).error).toBeUndefined();
	expect(found[way]?.[0]?.functions).toBeGreaterThan(10);
});

it('a chat model runs functions of ours for a message', async () => {
	const invoke = async (model: Parameters<Parameters<typeof useModel>[0]['use']>[0]) => {
		await counted('chat model', async () => await model.invoke(`hello ${++number}`));
		return {};
	};
	for (let time = 0; time < 2; time++)
		expect((await useModel({ secrets: secrets(), use: invoke })).error).toBeUndefined();
	expect(found['chat model']?.[0]?.functions).toBeGreaterThan(10);
});
