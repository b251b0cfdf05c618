import { createModelFetch, type AskModel } from '../../../nodes/ModelRouter/chatModel/replies';
import { CallFailure } from '../../../src/n8n/languageModel';

const answer = { text: 'Hello there', model: 'vendor/model', toolCalls: [] };
const ask = (request: object, model: AskModel) =>
	createModelFetch(model)('https://nowhere.invalid', { body: JSON.stringify(request) });
/** Lets everybody who waits go on. */
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

/** The texts of the chunks, one by one. */
async function readTexts(response: Response): Promise<string[]> {
	const events = (await response.text()).split('\n\n').filter(Boolean);
	expect(events.at(-1)).toBe('data: [DONE]');
	return events
		.slice(0, -1)
		.map((event) => JSON.parse(event.slice('data: '.length)) as { choices: object[] })
		.flatMap(({ choices: [choice] }) => {
			const { content } = (choice as { delta?: { content?: string } } | undefined)?.delta ?? {};
			return content === undefined ? [] : [content];
		});
}

it('streams every piece as it comes', async () => {
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		onText('Hello');
		await settle();
		onText(' there');
		return answer;
	});
	expect(await readTexts(response)).toEqual(['Hello', ' there']);
});

it('gives a piece at once, and joins what comes while its reader is busy', async () => {
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		await settle();
		for (const piece of ['He', 'l', 'lo']) onText(piece);
		await settle();
		onText(' there');
		return answer;
	});
	expect(await readTexts(response)).toEqual(['He', 'llo', ' there']);
});

it('loses nothing after a piece that is held back', async () => {
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		await settle();
		onText('');
		await settle();
		onText('Hello');
		await settle();
		onText('');
		await settle();
		onText(' there');
		return answer;
	});
	expect(await readTexts(response)).toEqual(['Hello', ' there']);
});

it('fails as a whole before the first text, and in the middle after it', async () => {
	const failure = new Error('refused');
	const refused = ask({ stream: true, messages: [] }, async () => await Promise.reject(failure));
	await expect(refused).rejects.toEqual(new CallFailure(failure));

	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		onText('Hello');
		await settle();
		throw failure;
	});
	const reader = response.body!.getReader();
	expect(new TextDecoder().decode((await reader.read()).value)).toContain('"Hello"');
	await expect(reader.read()).rejects.toBe(failure);
});

it('stops the call when its reader leaves', async () => {
	const written: string[] = [];
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		for (const piece of ['one', 'two', 'three']) {
			onText(piece);
			written.push(piece);
			await settle();
		}
		return answer;
	});
	const reader = response.body!.getReader();
	await reader.read();
	await reader.cancel();
	await settle();
	await settle();
	expect(written).not.toContain('three');
});

it('asks without what the service sets by itself', async () => {
	let asked: object = {};
	await ask({ stream: true, stream_options: { include_usage: true }, seed: 1 }, async (body) => {
		asked = body;
		return await Promise.resolve(answer);
	});
	expect(asked).toEqual({ seed: 1 });
});
