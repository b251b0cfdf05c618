import { shortenText } from '../core/errors';
import { isPlainObject } from '../core/json';
import { isEmptyValue, omitMissing } from '../core/missing';
import type { Wait } from './waits';

/** What an agent waits for, as the output has it. */
export interface Waiting {
	/** An `input` is a question, which anybody may answer. An `approval` takes only a person's decision. */
	kind: 'input' | 'approval';
	/** All of it in words, for people; cut. */
	text: string;
	/** The calls of tools that wait for approval. */
	calls?: WaitingCall[];
}

interface WaitingCall {
	tool: string;
	/** As JSON; cut. */
	arguments?: string;
}

/** @returns undefined if the agent waits for nobody. What waits for the result of a tool waits for a program. */
export function toWaiting(waits: readonly Wait[]): Waiting | undefined {
	const asking = waits.filter((wait) => wait.for !== 'result');
	if (!asking.length) return undefined;
	const calls = asking.flatMap(callsOf);
	const kept = calls.slice(0, MAX_CALLS);
	const kind = asking.every((wait) => wait.for === 'input') ? 'input' : 'approval';
	const said = asking.filter(({ reason }) => !requestsOf(reason).length).map(reasonOf);
	const words = [...said.filter(Boolean), ...kept.map(inWords)];
	const whole = words.join('\n');
	const isWhole = kept.length === calls.length && whole.length <= MAX_TEXT;
	const text = isWhole ? whole : [summaryOf(words.length, calls), ...evenly(words)].join('\n');
	return {
		kind,
		text: shortenText(text, MAX_TEXT) || WITHOUT_WORDS[kind],
		...(kept.length && { calls: kept }),
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
	tool: shortenText(tool, MAX_NAME),
	...omitMissing({ arguments: isEmptyValue(input) ? undefined : cut(input, MAX_ARGUMENTS) }),
});

/** What is cut must not hide what an approval is about. */
function summaryOf(known: number, calls: readonly WaitingCall[]): string {
	const count = known + Math.max(0, calls.length - MAX_CALLS);
	const names = shortenText(calls.map(({ tool }) => tool).join(', '), MAX_NAMES);
	return `${count} wait${names && `: ${names}`}`;
}

/** A long one leaves room for each of the others. */
const evenly = (words: readonly string[]) =>
	words.map((each) => shortenText(each, Math.floor((MAX_TEXT - MAX_NAMES - 100) / words.length)));

const reasonOf = ({ reason }: Wait) => (isEmptyValue(reason) ? '' : cut(reason, MAX_TEXT));

const inWords = ({ tool, arguments: given }: WaitingCall) =>
	`${tool}${given === undefined ? '' : ` with ${given}`}`;

const cut = (value: unknown, length: number) =>
	shortenText(typeof value === 'string' ? value : JSON.stringify(value), length);

const WITHOUT_WORDS: Readonly<Record<Waiting['kind'], string>> = {
	approval: 'The agent waits for approval.',
	input: 'The agent waits for an answer.',
};

/** Far more than a person reads before a decision. */
const MAX_CALLS = 20;
/** Characters. Slack takes 3,000 in a text. */
const MAX_TEXT = 2_500;
const MAX_ARGUMENTS = 1_000;
const MAX_NAME = 100;
const MAX_NAMES = 1_500;
