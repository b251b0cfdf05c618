import { sendMessage } from '../../../src/agent/client';
import { DIALECTS } from '../../../src/agent/dialects';
import type { ServiceError } from '../../../src/core/errors';
import { bytes, inMemory } from '../inMemoryHttp';
import { cutOf, nameOf, patternOfAnswer, recordings, type Recording } from './recordings';

const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';

function inChunks(body: string, size: number): Uint8Array[] {
	const whole = bytes(body);
	const starts = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => at * size);
	return starts.map((start) => whole.subarray(start, start + size));
}

async function read(recording: Recording, size = Infinity) {
	const { status, contentType, body, broke = false, question = 'the question' } = recording;
	let live = '';
	const http = inMemory({
		status,
		headers: { 'content-type': contentType },
		breaks: broke,
		chunks: size === Infinity ? [body] : inChunks(body, size),
	});
	const onText = (text: string) => void (live += text);
	return await sendMessage(http, { sessionId, content: question }, { onText }).then(
		(answer) => ({ dialect: undefined, ...answer, outcome: 'complete', live }),
		({ kind, message, details }: ServiceError) => ({
			text: '',
			...details.partial,
			kind,
			message,
			reason: details.reason,
			advice: details.advice,
			outcome: 'error',
			live,
			dialect: undefined,
		}),
	);
}

async function expectRight(_name: string, recording: Recording) {
	const { expectedOutcome, expectedText, dialect } = recording;
	for (const size of [7, 64, Infinity]) {
		const result = await read(recording, size);
		const { text } = result;
		if (expectedOutcome === 'complete') {
			expect(result).toMatchObject({ outcome: 'complete', live: text, dialect });
			expect(text).toMatch(new RegExp(patternOfAnswer(recording)));
		} else {
			expect(result.outcome).toBe('error');
			// what had arrived, and nothing else
			expect(JSON.stringify(expectedText)).toContain(JSON.stringify(text).slice(1, -1));
		}
	}
}

it.each(recordings.map((recording) => [nameOf(recording), recording] as const))(
	'%s is read as its own client shows it, however its bytes arrive',
	expectRight,
);

const cuts = recordings.flatMap((recording) => {
	const isWhole = recording.expectedOutcome === 'complete' && recording.status < 300;
	const cut = isWhole ? cutOf(recording, 0.6) : undefined;
	return cut ? [cut] : [];
});

/** Words, messages and states have no end mark. */
const HAS_NO_END =
	/^agentcore-ts .* (words|message)-|^lang(chain-agent|graph-api) .* (es-)?(messages|updates|values)|^pydantic-ai /;
/** The cut is behind the end mark. */
const HAS_ENDED = [
	'AnythingLLM read stream',
	'Coze read a tool of the client',
	// the agents of .NET send nothing behind a message
	'copilot-studio read pieces, then the whole',
	'copilot-studio read two messages at a time',
	'Letta read steps',
	'dify public agent',
	'langchain-core 1.4.0 events-llm-v1-whole',
	'letta public vanilla',
];

it('a stream that has an end mark, and ends too early, is not complete, or its notice says so', async () => {
	const results = await Promise.all(
		cuts.map(async (cut) => ({ name: nameOf(cut), notice: undefined, ...(await read(cut)) })),
	);
	const complete = results.filter(
		({ outcome, notice, name }) =>
			outcome === 'complete' && !notice && !HAS_NO_END.test(name) && !HAS_ENDED.includes(name),
	);
	expect(cuts.length).toBeGreaterThan(200);
	expect(complete.map(({ name }) => name)).toEqual([]);
});

it('an end that is missing is named, with what to do', async () => {
	const [plain] = cuts.filter((cut) => nameOf(cut) === 'ag-ui 1.0.0 plain');
	expect(plain && (await read(plain))).toMatchObject({
		outcome: 'error',
		message: 'The answer stopped before its end',
		text: expect.stringMatching(/^Hello/),
		reason: 'A stream of AG-UI ends with "RUN_FINISHED", which did not arrive.',
		advice: expect.stringMatching(/On Incomplete Answer.*Answer Field Path/),
	});
});

it('the message that a bot owes is named', async () => {
	const [typing] = recordings.filter((each) => each.case === 'no final message');
	expect(typing && (await read(typing))).toMatchObject({
		reason: expect.stringMatching(/^A stream of Microsoft 365 Agents ends with "message" or /),
	});
});

it.each([
	['replaced by moderation', 'Hello \n\nI cannot say that.'],
	['an artifact that is replaced', 'Draft one\n\nHello world'],
])(
	'a text that was shown stays where the agent replaces it, with a notice: %s',
	async (of, text) => {
		const [replaced] = recordings.filter((each) => each.case === of);
		expect(replaced && (await read(replaced))).toMatchObject({
			text,
			notice: expect.stringMatching(/has replaced its text/),
		});
	},
);

it('what a step had said before it was tried again stays, with a notice', async () => {
	const [retried] = recordings.filter((each) => each.case === 'a step that is tried again');
	expect(retried && (await read(retried))).toMatchObject({
		notice: expect.stringMatching(/has replaced its text/),
	});
});

it.each(['maxtokens', 'new-lengthy', 'new-chat-lengthy'])(
	'what a limit of tokens has cut is told as that: %s',
	async (of) => {
		const [limited] = recordings.filter((each) => each.case === of);
		expect(limited && (await read(limited))).toMatchObject({
			outcome: 'complete',
			notice: expect.stringMatching(/limit of tokens/),
		});
	},
);

it('the whole message of a bot that does not begin with its pieces stands in their place', async () => {
	const [revised] = recordings.filter((each) => each.case === 'streaming, with citations');
	expect(revised && (await read(revised))).toMatchObject({
		text: 'Here is what I have found [doc\n\nHere is what I have found [1] and [2].',
		notice: expect.stringMatching(/has replaced its text/),
	});
});

const APPROVAL = 'The agent waits for approval to call the tool "weather" with {"city":"Paris"}.';
const ANSWER =
	'The agent waits for an answer, to go on with the tool "weather" with {"city":"Paris"}.';
const RESULT = 'The agent waits for the result of the tool "weather" with {"city":"Paris"}.';

it.each([
	['ai-uistream 7.0.173 new-approval', APPROVAL],
	['ai-fullstream 7.0.173 approval', APPROVAL],
	['ai-uistream 7.0.173 new-clientToolBare', RESULT],
	['mastra 1.71.0 stream-approval', APPROVAL],
	['mastra 1.71.0 stream-suspended', `${ANSWER} {"question":"Which unit?"}`],
	['openai-agents 0.20.0 new-chat-approval', APPROVAL],
	['claude-agent-sdk read deferred', APPROVAL],
	['claude-agent-sdk read requires action', APPROVAL],
	['strands-ts 1.19.0 interrupt of a tool', `${ANSWER} Which unit?`],
	['strands-py read interrupt', `${ANSWER} May I?`],
	['google-adk read confirmation', `${APPROVAL} May I?`],
	['langchain-agent 1.5.14 sse-messages-approval', RESULT],
])('%s: the answer ends with what the agent waits for', async (name, question) => {
	const [waiting] = recordings.filter((each) => nameOf(each) === name);
	const { text } = await read(waiting!);
	expect(text.split('\n\n').at(-1)).toBe(question);
});

it.each(recordings.filter(({ waits }) => waits).map((each) => [nameOf(each), each] as const))(
	'%s: what the agent waits for names the tool',
	async (_name, waiting) => {
		expect((await read(waiting)).text).toMatch(/^(The agent waits for|Approval|\{).*weather/m);
	},
);

it.each([
	['resp-sse-midError', 'The model broke in the middle'],
	['new-chat-midError', /error in the middle/],
])('OpenAI Agents SDK, %s: the reason of the failure is told', async (what, reason) => {
	const [failed] = recordings.filter((each) => nameOf(each) === `openai-agents 0.20.0 ${what}`);
	expect(failed && (await read(failed))).toMatchObject({
		message: 'The service reported an error',
		reason: expect.stringMatching(reason),
	});
});

it.each(DIALECTS.map(({ name, source }) => [name, source]))(
	'%s has a source and a recording',
	(name, source) => {
		expect(source).toMatch(/ \d|^https:/);
		expect(recordings.map(({ dialect }) => dialect)).toContain(name);
	},
);
