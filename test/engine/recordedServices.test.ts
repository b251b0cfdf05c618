import type { IDataObject } from 'n8n-workflow';

import { searchModels } from '../../nodes/ModelRouter/modelPicker';
import {
	RECORDED_ANSWERS,
	replay,
	REPLAYED_KEY,
	REPLAYED_MODEL,
} from '../service/modelServices/replay';
import { CARRY_ON, chat, job, model, PICTURE } from './rig/calls';
import { useModel } from './rig/chatModel';
import { testCredential } from './rig/credentialTest';
import { pickerOf } from './rig/picker';
import { run } from './rig/run';

// what programs that people run themselves have answered, as it came: test/service/modelServices/recorded.ndjson
const PROGRAMS = [...new Set(RECORDED_ANSWERS.map(({ program }) => program))];

let program: Awaited<ReturnType<typeof replay>>;
afterEach(async () => await program.stop());

async function begin(name: string, models?: string) {
	program = await replay(name, models);
	const data = {
		baseUrl: program.baseUrl,
		apiKey: REPLAYED_KEY,
		keyIn: 'bearer',
		ownPrices: `${REPLAYED_MODEL} 1 2`,
	};
	const ask = async (content: string, more: IDataObject = {}) => {
		const { modelId = REPLAYED_MODEL, operation = 'message', ...changed } = more;
		const call = chat(content, { model: model(String(modelId)), operation: String(operation) });
		const secrets = { modelRouterApi: { ...data, ...changed } };
		const { items, failed } = await run({ ...call, secrets, settings: CARRY_ON });
		return { json: items[0]?.json, error: String(failed[0]?.json['error']) };
	};
	return { data, ask };
}

describe.each(PROGRAMS)('%s', (name) => {
	it('answers, and its tokens have the price of the line', async () => {
		const { ask } = await begin(name);
		const { json } = await ask('hello');
		const { prompt_tokens, completion_tokens } = json?.['usage'] as Record<string, number>;
		expect(json).toMatchObject({
			output: expect.stringMatching(/Hello from a tiny model\.$/),
			finishReason: 'stop',
			costUsd: Number(((prompt_tokens ?? 0) * 1e-6 + (completion_tokens ?? 0) * 2e-6).toFixed(6)),
			costSource: 'credential',
			complete: true,
		});
	});

	it('has no more tokens in its prompt than were counted for a cap, with what its template says', async () => {
		const { ask } = await begin(name);
		const { json: most } = await ask('hello', { operation: 'estimateCost' });
		const { json } = await ask('hello');
		const { prompt_tokens } = json?.['usage'] as Record<string, number>;
		expect(prompt_tokens).toBeGreaterThan(0);
		expect(Number(most?.['maxPromptTokens'])).toBeGreaterThanOrEqual(prompt_tokens ?? NaN);
		expect(most?.['output']).toContain('The template of the model may add 1500 tokens.');
	});

	it('calls a tool, whose arguments come piece by piece', async () => {
		const { data } = await begin(name);
		const { given } = await useModel({
			secrets: { modelRouterApi: data },
			parameters: { model: model(REPLAYED_MODEL) },
			async use(one) {
				const parameters = { type: 'object', properties: { city: { type: 'string' } } };
				const tool = { type: 'function', function: { name: 'weather', parameters } };
				return (await one.bindTools([tool]).invoke('tool')).tool_calls;
			},
		});
		const city = expect.stringMatching(/^(Oslo|Rome)$/);
		expect(given[0]).toMatchObject([{ name: 'weather', args: { city } }]);
	});

	it('has its models in the picker, with the price of the line', async () => {
		const { data } = await begin(name);
		const secrets = { modelRouterApi: data };
		const context = pickerOf('modelRouter', 'model', { credential: 'modelRouterApi' }, secrets);
		const { results } = await searchModels.call(context, '');
		expect(results).toContainEqual({
			value: REPLAYED_MODEL,
			name: expect.stringContaining('$1.00 in, $2.00 out'),
		});
	});

	it('proves the key in the credential test, or says that it takes any', async () => {
		const { data } = await begin(name);
		const right = await testCredential('modelRouterApi', data);
		const wrong = await testCredential('modelRouterApi', { ...data, apiKey: 'sk-wrong' });
		if (!program.takesKey) {
			expect([right, wrong]).toMatchObject([{ status: 'OK' }, { status: 'OK' }]);
			expect(right.message).toMatch(/accepts the key is not known.* to everybody$/);
			return;
		}
		expect(right).toEqual({ status: 'OK', message: 'The model router accepted the key' });
		expect(wrong).toMatchObject({ status: 'Error', message: expect.stringMatching(/API key/) });
	});

	it('says what it refuses', async () => {
		const { ask } = await begin(name);
		const { json, error } = await ask('hello', { apiKey: 'sk-wrong' });
		if (program.takesKey) expect(error).toMatch(/refused the API key \(401\)/);
		else expect(json).toMatchObject({ complete: true });
		expect((await ask('too long')).error).toMatch(/too long for the model/);
	});
});

it('llama.cpp answers with the model that it has, whatever is asked: the dearer price counts', async () => {
	const { ask } = await begin('llama.cpp');
	const ownPrices = `${REPLAYED_MODEL} 10 20\nno-such-model 1 2`;
	const { json } = await ask('hello', { modelId: 'no-such-model', ownPrices });
	expect(json).toMatchObject({ model: REPLAYED_MODEL, costUsd: 0.00113 });
});

it('Ollama without a model is reached, and has none to choose', async () => {
	const { data } = await begin('Ollama', 'no model');
	const none = { ...data, keyIn: 'none', ownPrices: '' };
	expect(await testCredential('modelRouterApi', none)).toEqual({
		status: 'OK',
		message: 'The model router was reached. It gets no key',
	});
});

it('a picture is not offered a line of prices, which are for texts', async () => {
	const { data } = await begin('Ollama');
	const secrets = { modelRouterApi: { ...data, ownPrices: '' } };
	const { failed } = await run({ ...job('generate', PICTURE), secrets, settings: CARRY_ON });
	expect(failed[0]?.json['error']).toMatch(/does not have the model canvas\/sketch-1/);
	expect(failed[0]?.json['error']).not.toMatch(/Prices/);
	expect(program.posts).toEqual([]);
});
