import { sendMessage } from '../../../src/agent/client';
import type { ServiceError } from '../../../src/core/errors';
import { inMemory } from '../inMemoryHttp';

const CALL = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'delete', input: {} };
const APPROVAL = { type: 'tool-approval-request', toolCallId: 'c1' };
const FINISH = { type: 'finish' };

/** Sends a message to an agent of the AI SDK that answers with these parts. */
async function read(parts: readonly object[], breaks = false) {
	const events = [{ type: 'start' }, ...parts];
	const http = inMemory({
		headers: { 'content-type': 'text/event-stream' },
		breaks,
		chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
	});
	return await sendMessage(http, { sessionId: 's', content: 'q' }).catch(
		({ kind, details }: ServiceError) => ({ kind, text: '', ...details.partial }),
	);
}

const text = async (parts: readonly object[]) => (await read(parts)).text;

it('tells every call that waits, after all that the agent says', async () => {
	const other = { ...CALL, toolCallId: 'c2', toolName: 'send', input: { to: 'a' } };
	const said = { type: 'text-delta', delta: 'Done soon.' };
	expect(await text([CALL, APPROVAL, other, said, FINISH])).toBe(
		[
			'Done soon.',
			'The agent waits for approval to call the tool "delete".',
			'The agent waits for the result of the tool "send" with {"to":"a"}.',
		].join('\n\n'),
	);
});

it.each(['tool-output-available', 'tool-output-error', 'tool-output-denied', 'tool-result'])(
	'a call waits for nothing after its %s',
	async (type) => {
		expect(await text([CALL, APPROVAL, { type, toolCallId: 'c1' }, FINISH])).toBe('');
	},
);

it('a call waits while its result is a preliminary one', async () => {
	const preliminary = { type: 'tool-output-available', toolCallId: 'c1', preliminary: true };
	expect(await text([CALL, preliminary, FINISH])).toMatch(/^The agent waits for the result/);
});

it('what the server approves by itself, or the provider runs, waits for nobody', async () => {
	expect(await text([{ ...CALL, providerExecuted: true }, FINISH])).toBe('');
	const automatic = { ...APPROVAL, isAutomatic: true };
	expect(await text([{ ...CALL, providerExecuted: true }, automatic, FINISH])).toBe('');
});

it('cuts what the model wrote', async () => {
	const long = { ...CALL, toolName: 'n'.repeat(1000), input: { text: 'x'.repeat(10_000) } };
	expect((await text([long, APPROVAL, FINISH])).length).toBeLessThan(700);
});

it('an agent that has failed waits for nothing', async () => {
	const failed = { type: 'error', errorText: 'It broke' };
	expect(await read([CALL, APPROVAL, failed])).toMatchObject({ text: '' });
});

it('a call whose result may have been lost with the connection is not said to wait', async () => {
	expect(await read([CALL], true)).toMatchObject({ kind: 'truncated', text: '' });
});
