import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

import { agent, assistant, chat, failPosts, says, secretsOf } from '../engine/rig/calls';
import { useModel } from '../engine/rig/chatModel';
import { startLedgerRig } from '../engine/rig/ledger';
import { run } from '../engine/rig/run';
import { startService, type Service } from '../service/service';
import type { Sample, Samples } from './row';

// What runs of our code for one item, as V8 counts it: with the getters of exports, which CommonJS makes of each import.

const session = new Session();
session.connect();

const OURS = /\/((?:src|nodes|credentials)\/.*\.ts)$/;

async function count(act: () => Promise<unknown>): Promise<Sample> {
	await session.post('Profiler.enable');
	await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
	await session.post('Profiler.takePreciseCoverage');
	await act();
	const { result } = await session.post('Profiler.takePreciseCoverage');
	await session.post('Profiler.stopPreciseCoverage');
	const files = result
		.filter(({ url }) => OURS.test(url) && !url.includes('node_modules'))
		.map(({ functions }) =>
			functions
				// not the file as a whole
				.filter(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0)
				.map(({ ranges: [range] }) => range?.count ?? 0),
		)
		.filter((counts) => counts.length);
	const counts = files.flat();
	return {
		calls: counts.reduce((sum, each) => sum + each, 0),
		functions: counts.length,
		files: files.length,
	};
}

let service: Service;
const rig = startLedgerRig();
beforeAll(async () => (service = await startService()));
afterAll(async () => await service.stop());

/** What each further piece of an answer takes that a reader sees live. */
async function countPiece(): Promise<Sample> {
	const hear = async (words: number) => {
		// one body: how it is cut on its way would be counted, too
		failPosts(service, says(Array(words).fill({ content: 'word ' })), 1);
		const secrets = secretsOf(service);
		await run({ ...chat(`${words} words`), secrets, mode: 'webhook', onChunk: () => {} });
	};
	await hear(1);
	const few = await count(async () => await hear(100));
	const many = await count(async () => await hear(1100));
	return { calls: ((many.calls ?? 0) - (few.calls ?? 0)) / 1000 };
}

it('what one item runs through is counted', async () => {
	const secrets = secretsOf(service);
	const ways: Record<string, (text: string) => Promise<unknown>> = {
		'text message': async (text) => await run({ ...chat(text), secrets }),
		'agent message': async (text) => await run({ ...agent({ message: text }), secrets }),
		'assistant question': async (text) =>
			await run({ ...assistant('ask', { question: text }), secrets }),
		'paid start': async (text) => await run(rig.starting(text, {})),
	};
	const samples: Samples = { 'piece of a live answer': [await countPiece()] };
	for (const [name, way] of Object.entries(ways)) {
		// the first one also reads the catalog, and makes what is made once
		await way('first');
		samples[name] = [await count(async () => await way('second'))];
	}
	await useModel({
		secrets,
		use: async (model) => {
			await model.invoke('first');
			samples['chat model'] = [await count(async () => await model.invoke('second'))];
			return {};
		},
	});
	expect(Object.values(samples).flat()).not.toContainEqual(expect.objectContaining({ calls: 0 }));
	const file = process.env['AGENT_BRIDGE_SAMPLES'];
	if (file) writeFileSync(file, JSON.stringify(samples));
});
