import { extractText } from '../core/extractText';
import { isPlainObject } from '../core/json';

/** What a speaker reports beside its text. Absent where it does not. */
export interface TurnFacts {
	/** The speaker's own conversation at its service: the ID of a session. */
	sessionId?: string;
	/** The same of a service that gives out the IDs of its chats. */
	chatId?: string;
	model?: string;
	/** USD. */
	costUsd?: number;
	inputTokens?: number;
	outputTokens?: number;
	requestId?: string;
}

/** What became of a turn. */
export interface Reply {
	/** What was said; of a speaker that failed, the part that had arrived. */
	text: string;
	facts: TurnFacts;
	/** A field that was to contain the text, and is not there. */
	missing?: string;
	/** Why the answer is not complete, in the speaker's words. */
	notice?: string;
	/** Whether the speaker has written its answer into the chat itself. */
	wasShown?: true;
	failure?: Failure;
	/** Set if a person did not allow the turn. */
	denial?: { words?: string };
	/** Whether the speaker is a person who was asked for approval, and refused it. */
	isRefusal?: true;
}

export interface Failure {
	error: string;
	details?: unknown;
	/** Whether the speaker's service certainly did not receive the message. */
	isCertainlyNotReceived: boolean;
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Finds what a speaker said in the items that its node returned.
 *
 * `output` comes first, since n8n's own agents and the nodes of this package name it so. The texts of several items are joined.
 *
 * @param sent What the speaker was given: where a node passes it on, it is no answer.
 * @param answerPath Path of the field that contains the text; empty to look in all usual places.
 */
export function readReply(items: readonly Item[], sent: Item, answerPath: string): Reply {
	const facts = readFacts(items);
	const shown = items.some(({ shownLive }) => shownLive === true) && { wasShown: true as const };
	const failed = items.find(({ error }) => isError(error));
	if (failed) return { text: partialTextOf(failed), facts, ...shown, failure: toFailure(failed) };
	const isRefusal = items.some(({ data }) => isPlainObject(data) && data['approved'] === false);
	const values = items.map((item) =>
		answerPath ? valueAt(item, answerPath) : ownAnswer(item, sent),
	);
	const isMissing = answerPath !== '' && values.every((value) => value === undefined);
	const text = values
		.map(toText)
		.filter((said) => said.trim())
		.join('\n\n')
		// half a character, as a cut emoji leaves it, could not be sent on
		.toWellFormed();
	const incomplete = items.find(({ complete }) => complete === false);
	const notice = incomplete && String(incomplete['notice'] ?? 'The answer is not complete.');
	return {
		text,
		facts,
		...shown,
		...(isMissing && { missing: answerPath }),
		...(notice && { notice }),
		...(isRefusal && { isRefusal }),
	};
}

/** What a person decided on a turn. */
export interface Decision {
	/** Anything but a clear yes is a no. */
	isApproved: boolean;
	/** Who decided, if that is known. */
	by?: string;
	/** What the person wrote. */
	words?: string;
}

/**
 * Reads the answer of one of n8n's human-review tools.
 *
 * @see @n8n/n8n-nodes-langchain 2.41, utils/agent-execution/processHitlResponses.js
 */
export function readDecision(items: readonly Item[]): Decision {
	const [item = {}] = items;
	const data = isPlainObject(item['data']) ? item['data'] : {};
	const responder = item['responder'] ?? data['responder'];
	const by = isPlainObject(responder)
		? firstText(responder['name'], responder['username'], responder['email'], responder['id'])
		: firstText(responder);
	const words = firstText(item['chatInput'], data['chatInput']);
	const isApproved = (item['approved'] ?? data['approved']) === true;
	return { isApproved, ...(by && { by }), ...(words && { words }) };
}

function ownAnswer(item: Item, sent: Item): unknown {
	const { output } = item;
	// n8n puts the ID of the action into what it gives to a tool (n8n-core 2.41.1, requests-response.js:70)
	const isPassedOn = 'toolCallId' in item && isSame(output, sent['output']);
	if (output !== undefined && output !== null && !isPassedOn) return output;
	const own = Object.fromEntries(
		Object.entries(item).filter(
			([name, value]) => name !== 'toolCallId' && !isSame(value, sent[name]),
		),
	);
	return personsAnswer(own) ?? extractText(own);
}

/** What a person answered by one of n8n's "Send and Wait for Response" operations. */
function personsAnswer({ data, chatInput }: Item): string | undefined {
	const { text, approved, chatInput: typed } = isPlainObject(data) ? data : {};
	const said = firstText(text, chatInput, typed);
	if (said !== undefined || typeof approved !== 'boolean') return said;
	return approved ? 'Approved' : 'Not approved';
}

const firstText = (...values: unknown[]) =>
	values.find((value): value is string => typeof value === 'string' && value.trim() !== '');

function valueAt(item: Item, path: string): unknown {
	if (Object.hasOwn(item, path)) return item[path];
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				typeof value === 'object' && value !== null && Object.hasOwn(value, name)
					? (value as Item)[name]
					: undefined,
			item,
		);
}

function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === undefined || value === null) return '';
	return extractText(value) ?? JSON.stringify(value);
}

/** As n8n sees it, except that an empty text says nothing. */
const isError = (error: unknown) =>
	error !== undefined && error !== null && error !== false && error !== '';

function toFailure({ error, details }: Item): Failure {
	const message = isPlainObject(error) ? error['message'] : error;
	const { kind, outcome } = isPlainObject(details) ? details : {};
	return {
		error: typeof message === 'string' && message ? message : JSON.stringify(error),
		...(details !== undefined && { details }),
		// a speaker that says nothing about it may have sent the message
		isCertainlyNotReceived: outcome === 'not_started' || kind === 'invalid',
	};
}

function partialTextOf({ details }: Item): string {
	const partial = isPlainObject(details) ? details['partial'] : undefined;
	return (isPlainObject(partial) && firstText(partial['text'])) || '';
}

/** What a speaker's items say beside the text. A failed one keeps what it knows in `details`, and in the partial answer there. */
function readFacts(items: readonly Item[]): TurnFacts {
	const places = items.flatMap((item) => {
		const details = isPlainObject(item['details']) ? item['details'] : {};
		const partial = isPlainObject(details['partial']) ? details['partial'] : {};
		return [item, details, partial];
	});
	const text = (name: string) => firstText(...places.map((place) => place[name]));
	const sessionId = text('sessionId');
	const chatId = text('chatId');
	const model = text('model');
	const requestId = text('requestId');
	return {
		...(sessionId && { sessionId }),
		...(chatId && { chatId }),
		...(model && { model }),
		...(requestId && { requestId }),
		...sumOf(
			'costUsd',
			places.map(({ costUsd }) => costUsd),
		),
		...sumOf(
			'inputTokens',
			places.map((place) => tokensOf(place, INPUT_NAMES)),
		),
		...sumOf(
			'outputTokens',
			places.map((place) => tokensOf(place, OUTPUT_NAMES)),
		),
	};
}

const INPUT_NAMES = ['prompt_tokens', 'input_tokens', 'promptTokens', 'inputTokens'];
const OUTPUT_NAMES = ['completion_tokens', 'output_tokens', 'completionTokens', 'outputTokens'];

/** The tokens of one item, as this package, the services' protocols and n8n's agents report them. */
function tokensOf(place: Item, names: readonly string[]): unknown {
	const usages = [place['usage'], place['tokenUsage'], place].filter(isPlainObject);
	return usages.flatMap((usage) => names.map((name) => usage[name])).find(isAmount);
}

const isAmount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

function sumOf<Name extends string>(name: Name, values: readonly unknown[]) {
	const amounts = values.filter(isAmount);
	if (!amounts.length) return {};
	return { [name]: amounts.reduce((sum, amount) => sum + amount, 0) } as Record<Name, number>;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
