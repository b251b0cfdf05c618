import { MAX_SHOWN } from '../core/decision';
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
	/** Set where not all of it is here: what a person was not shown is not approved. */
	onlyDecline?: true;
}

interface WaitingCall {
	tool: string;
	/** As JSON; cut where not all of what waits is shown. */
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
	const all = asking.flatMap(callsOf);
	const said = asking.filter(({ reason }) => !requestsOf(reason).length).map(reasonOf);
	const words = [...said.filter(Boolean), ...all.map(inWords)];
	const whole = words.join('\n');
	const kind = asking.every((wait) => wait.for === 'input') ? 'input' : 'approval';
	const isWhole = all.length <= MAX_CALLS && whole.length <= MAX_SHOWN;
	const calls = isWhole ? all : all.slice(0, MAX_CALLS).map(cutCall);
	// of very many, only the last ones are known
	const isTooMuch = kind === 'approval' && !(isWhole && asking.length < MAX_OPEN);
	const names = shortenText(all.map(({ tool }) => tool).join(', '), MAX_NAMES);
	const head = [
		...(isTooMuch ? [ONLY_DECLINE] : []),
		...(isWhole ? [] : [`${words.length} wait${names && `: ${names}`}`]),
	];
	const shown = isWhole ? words : cutEvenly(words, MAX_SHOWN - head.join('\n').length);
	return {
		kind,
		text: shortenText([...head, ...shown].join('\n'), MAX_SHOWN),
		...(calls.length && { calls }),
		...(isTooMuch && { onlyDecline: true }),
	};
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

const callsOf = ({ tool, input, reason }: Wait): WaitingCall[] =>
	tool
		? [toCall(tool, input)]
		: requestsOf(reason).map(({ name, args }) =>
				toCall(typeof name === 'string' ? name : '?', args),
			);

const toCall = (tool: string, input: unknown): WaitingCall => ({
	tool,
	...omitMissing({ arguments: isEmptyValue(input) ? undefined : asText(input) }),
});

const cutCall = ({ tool, arguments: given }: WaitingCall): WaitingCall => ({
	tool: shortenText(tool, MAX_NAME),
	...omitMissing({ arguments: given && shortenText(given, MAX_ARGUMENTS) }),
});

/** A long one leaves room for each of the others. */
const cutEvenly = (words: readonly string[], room: number) =>
	words.slice(0, MAX_CALLS).map((each, _index, { length }) =>
		// its line, and the sign that it is cut
		shortenText(each, Math.floor(room / length) - 2),
	);

function reasonOf({ for: what, tool, reason }: Wait): string {
	if (!isEmptyValue(reason)) return asText(reason);
	return tool ? '' : WITHOUT_WORDS[what === 'input' ? what : 'approval'];
}

const inWords = ({ tool, arguments: given }: WaitingCall) =>
	`${tool}${given === undefined ? '' : ` with ${given}`}`;

const asText = (value: unknown) =>
	typeof value === 'string' ? value : JSON.stringify(value, inOrder);

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
const MAX_ARGUMENTS = 1_000;
const MAX_NAME = 100;
const MAX_NAMES = 1_500;
