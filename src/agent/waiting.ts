import { shortenText } from '../core/errors';
import { isPlainObject, isEmptyValue, omitMissing } from '../core/json';
import { MAX_OPEN, type Wait } from './waits';

/** What an agent waits for, as the output has it. */
export interface Waiting {
	/** An `input` is a question, which anybody may answer. An `approval` takes only a person's decision. */
	kind: 'input' | 'approval';
	/** All of it in words, for people; cut. */
	text: string;
	/** The calls of tools that wait for approval. */
	calls?: WaitingCall[];
	/** Set where not all of it is named here: what a person was not shown is not approved. */
	onlyDecline?: true;
}

interface WaitingCall {
	tool: string;
	/** As JSON; cut. */
	arguments?: string;
}

/** @returns undefined if the agent waits for nobody. What waits for the result of a tool waits for a program. */
export function toWaiting(waits: readonly Wait[]): Waiting | undefined {
	const asking = waits
		.filter((wait) => wait.for !== 'result')
		.map((wait) => ({ wait, order: JSON.stringify([wait.tool, wait.input, wait.reason], inOrder) }))
		.sort((one, other) => (one.order < other.order ? -1 : 1))
		.map(({ wait }) => wait);
	if (!asking.length) return undefined;
	const listed = listWords(asking);
	const { words, calls, names, isWhole } = listed;
	const kind = asking.every((wait) => wait.for === 'input') ? 'input' : 'approval';
	const count = words.length + Math.max(0, names.length - calls.length);
	const named = shortenText(names.join(', '), MAX_NAMES);
	const lines = isWhole ? words : [`${count} wait${named && `: ${named}`}`, ...evenly(words)];
	const isShown = asking.length < MAX_OPEN && isAllShown(listed);
	const isTooMuch = kind === 'approval' && !isShown;
	const text = [...(isTooMuch ? [ONLY_DECLINE] : []), ...lines].join('\n');
	return {
		kind,
		text: shortenText(text, MAX_TEXT),
		...(calls.length && { calls }),
		...(isTooMuch && { onlyDecline: true }),
	};
}

/** Whether the text of what waits names all of it. */
function isAllShown({ words, calls, names, isWhole }: ReturnType<typeof listWords>): boolean {
	const isNamed = names.every((name) => name.length <= MAX_NAME);
	const hasRoom = words.length === calls.length || shareOf(words) >= MIN_SHARE;
	const fits = isWhole || (names.join(', ').length <= MAX_NAMES && hasRoom);
	return isNamed && fits;
}

/** What waits, in words, and the calls among it. Those beyond the limit are only named. */
function listWords(asking: readonly Wait[]) {
	const all = asking.flatMap(callsOf);
	const calls = all.slice(0, MAX_CALLS).map(({ tool, input }) => toCall(tool, input));
	const said = asking.filter(({ reason }) => !requestsOf(reason).length).map(reasonOf);
	const words = [...said.filter(Boolean), ...calls.map(inWords)];
	const isWhole = calls.length === all.length && words.join('\n').length <= MAX_TEXT;
	return { words, calls, names: all.map(({ tool }) => tool), isWhole };
}

/**
 * The actions about which the middleware of LangChain asks, in JavaScript and in Python; none in what anybody else asks.
 *
 * @see langchain 1.5.14, humanInTheLoopMiddleware
 */
export function requestsOf(asked: unknown): Array<Readonly<Record<string, unknown>>> {
	if (!isPlainObject(asked)) return [];
	const found = asked['actionRequests'] ?? asked['action_requests'];
	return Array.isArray(found) ? found.filter(isPlainObject) : [];
}

const callsOf = ({ tool, input, reason }: Wait): Array<Pick<Wait, 'tool' | 'input'>> =>
	tool
		? [{ tool, input }]
		: requestsOf(reason).map(({ name, args }) => ({
				tool: typeof name === 'string' ? name : '?',
				input: args,
			}));

const toCall = (tool: string, input: unknown): WaitingCall => ({
	tool: shortenText(tool, MAX_NAME),
	...omitMissing({ arguments: isEmptyValue(input) ? undefined : cut(input, MAX_ARGUMENTS) }),
});

/** A long one leaves room for each of the others. */
const evenly = (words: readonly string[]) => words.map((each) => shortenText(each, shareOf(words)));

const shareOf = ({ length }: readonly string[]) =>
	Math.floor((MAX_TEXT - MAX_NAMES - ONLY_DECLINE.length - 100) / length);

function reasonOf({ for: what, tool, reason }: Wait): string {
	if (!isEmptyValue(reason)) return cut(reason, MAX_TEXT);
	return tool ? '' : WITHOUT_WORDS[what === 'input' ? what : 'approval'];
}

const inWords = ({ tool, arguments: given }: WaitingCall) =>
	`${tool}${given === undefined ? '' : ` with ${given}`}`;

const cut = (value: unknown, length: number) =>
	shortenText(typeof value === 'string' ? value : JSON.stringify(value, inOrder), length);

/** A list may have the keys in another order than the stream: LangGraph keeps what waits as jsonb of PostgreSQL. */
const inOrder = (_key: string, value: unknown): unknown =>
	isPlainObject(value)
		? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
		: value;

export const WITHOUT_WORDS: Readonly<Record<Waiting['kind'], string>> = {
	approval: 'The agent waits for approval.',
	input: 'The agent waits for an answer.',
};

const ONLY_DECLINE = 'This is too much to approve at once, and can only be declined.';

/** Far more than a person reads before a decision. */
const MAX_CALLS = 20;
/** Characters. Slack takes 3,000 in a text, and a conversation adds how to answer. */
const MAX_TEXT = 2_400;
const MAX_ARGUMENTS = 1_000;
const MAX_NAME = 100;
const MAX_NAMES = 1_500;
/** Of what is asked in words: enough to know what it is about. */
const MIN_SHARE = 60;
