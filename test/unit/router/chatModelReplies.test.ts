import { createModelFetch, type AskModel } from '../../../nodes/ModelRouter/chatModel/replies';
import { CallFailure } from '../../../src/n8n/languageModel';

const answer = { text: 'Hello there', model: 'vendor/model', toolCalls: [] };
const ask = (request: object, model: AskModel) =>
	createModelFetch(model)('https://nowhere.invalid', { body: JSON.stringify(request) });
/** Lets everybody who waits go on. */
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

/** The texts of the chunks, one by one. */
async function readTexts(response: Response) {
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
	let goOn = () => {};
	const isRead = new Promise<void>((resolve) => (goOn = resolve));
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		onText('Hello');
		await isRead;
		onText(' there');
		return answer;
	});
	const reader = response.body!.getReader();
	const read = async () => new TextDecoder().decode((await reader.read()).value);
	expect(await read()).toContain('"Hello"');
	goOn();
	expect(await read()).toContain('" there"');
	expect(await read()).toContain('data: [DONE]');
});

it('joins what comes while its reader is busy', async () => {
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		await settle();
		for (const letter of 'Hello there') onText(letter);
		return await Promise.resolve(answer);
	});
	const texts = await readTexts(response);
	expect(texts.join('')).toBe('Hello there');
	// a reader that waits gets the first piece by itself
	expect(texts.length).toBeLessThanOrEqual(2);
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
	expect((await readTexts(response)).join('')).toBe('Hello there');
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
	let end: (cause: unknown) => void = () => {};
	const ended = new Promise((resolve) => (end = resolve));
	const response = await ask({ stream: true, messages: [] }, async (_body, onText) => {
		try {
			for (;;) {
				onText('and so on');
				await settle();
			}
		} catch (cause) {
			end(cause);
		}
		return answer;
	});
	const reader = response.body!.getReader();
	await reader.read();
	await reader.cancel();
	expect(await ended).toEqual(new Error('The answer no longer has a reader'));
});

it('asks without what the service sets by itself', async () => {
	let asked: object = {};
	await ask({ stream: true, stream_options: { include_usage: true }, seed: 1 }, async (body) => {
		asked = body;
		return await Promise.resolve(answer);
	});
	expect(asked).toEqual({ seed: 1 });
});
