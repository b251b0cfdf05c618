import { openBridge, type Bridge } from './bridge.ts';
import { chatModel, sayOnce } from './chatModel.ts';
import { conversationFile, outcomeOf, speakersOf } from './conversationWorkflow.ts';

// who speaks next is decided by a model: n8n's OpenAI Chat Model, whose service is the router of the reference service
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const prompts = () =>
	bridge.service.requests
		.filter(({ path }) => path.includes('chat/completions'))
		.map(({ body }) =>
			String((body as { messages: Array<{ content: unknown }> }).messages[0]?.content),
		);

/** Ann, Bob and Cid talk, as a chat model says. */
const moderated = async (turnLimit: number, options: Record<string, unknown> = {}) => {
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	const execution = await bridge.editor.runOnce(
		conversationFile({
			parameters: { turnOrder: 'moderator', turnLimit, options },
			speakers: [agent('Ann'), secondAgent('Bob'), agent('Cid')],
			moderator: await chatModel(bridge, 'Chair'),
		}),
	);
	const outcome = outcomeOf(execution);
	return { execution, outcome, speakers: outcome.transcript.map(({ speaker }) => speaker) };
};

it('the moderator chooses each speaker, and says when it is done', async () => {
	for (const answer of ['Cid', '"Ann"', '**Cid** is next.', 'DONE']) sayOnce(bridge, answer);
	const { execution, outcome, speakers } = await moderated(9, {
		moderatorInstructions: 'End it once all agree.',
	});
	expect(speakers).toEqual(['Cid', 'Ann', 'Cid']);
	expect(outcome).toMatchObject({
		...{ ended: 'moderator', reason: 'The moderator ended the conversation', turns: 3 },
		output: outcome.transcript[2]?.text,
	});
	expect(outcome.transcript.map(({ note }) => note)).toEqual([null, null, null]);
	const [first, , , last] = prompts();
	expect(first).toMatch(/- Ann: .*\n- Bob: .*\n- Cid: /);
	expect(first).toContain('End it once all agree.');
	// before the first turn it cannot be done
	expect(first).not.toContain('DONE');
	expect(last).toContain(`Ann: ${outcome.transcript[1]?.text}`);
	// n8n shows what the moderator was asked below the conversation
	expect(execution.runData['Chair']).toHaveLength(4);
});

it('an answer that is not clear: the next in turn is asked, and the transcript says so', async () => {
	for (const answer of ['Bob', 'Ann or Bob', 'Nobody', 'Ann']) sayOnce(bridge, answer);
	const { outcome, speakers } = await moderated(4);
	expect(speakers).toEqual(['Bob', 'Cid', 'Ann', 'Ann']);
	expect(outcome.transcript.map(({ note }) => note)).toEqual([
		null,
		'The moderator\'s answer was not clear ("Ann or Bob"), so the next speaker in turn was asked.',
		'The moderator\'s answer was not clear ("Nobody"), so the next speaker in turn was asked.',
		null,
	]);
});

it('a moderator that fails: the conversation goes on in turn, and no turn is lost', async () => {
	sayOnce(bridge, 'Bob');
	bridge.service.fault({
		// read like the other answers, so that they are taken in order
		match: { path: 'chat/completions', bodyIncludes: '"messages"' },
		times: 1,
		do: { type: 'status', status: 401, body: { error: { message: 'no' } } },
	});
	sayOnce(bridge, 'Bob');
	const { execution, outcome, speakers } = await moderated(3);
	expect(execution.status).toBe('success');
	expect(speakers).toEqual(['Bob', 'Cid', 'Bob']);
	expect(outcome.transcript[1]?.note).toBe(
		'The moderator could not be asked, so the next speaker in turn was asked.',
	);
});
