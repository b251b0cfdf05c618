import { findAnswerText } from '../service/answerText';
import type { ServiceErrorDetails } from '../service/errors';
import { isObject } from '../service/json';
import { readReportedError } from '../service/refusals';
import { toToolCall, type TextAnswer } from './textAnswer';

export interface ResponseAnswer extends TextAnswer {
	/** The response object of the last event that had one; where it has no `output`, the items that came before. */
	response: Record<string, unknown>;
}

type Fields = Record<string, unknown>;

/** Puts one response together from the events of its stream. Events that nobody knows are passed over. */
export function joinEvents(requestedModel: string) {
	let response: Fields = {};
	const items = new Map<number, Fields>();
	const [pieces, refusal, reasoning]: [string[], string[], string[]] = [[], [], []];
	let whole = false;
	let failure: ServiceErrorDetails | undefined;

	/** The item that an event belongs to, by its place or else its id; made where its beginning did not come. */
	const itemAt = ({ output_index: place, item_id, item: given }: Fields): Fields => {
		const id = item_id ?? (isObject(given) ? given['id'] : undefined);
		const index = typeof place === 'number' ? place : placeOf(id);
		const item = items.get(index) ?? (id ? { id } : {});
		items.set(index, item);
		return item;
	};

	const placeOf = (id: unknown): number => {
		if (!id) return 0;
		const [known] = [...items].find(([, item]) => item['id'] === id) ?? [];
		return known ?? items.size;
	};

	const takeItem = (event: Fields) => {
		if (!isObject(event['item'])) return;
		const item = itemAt(event);
		const { arguments: written } = item;
		Object.assign(item, event['item']);
		// fragments are not taken back by an end that is empty
		if (written && !item['arguments']) item['arguments'] = written;
	};

	/** Only calls have arguments, and some ends name what is called. */
	const callAt = (event: Fields): Fields =>
		Object.assign(
			itemAt(event),
			{ type: 'function_call' },
			event['name'] && { name: event['name'] },
		);

	const takers: Record<string, (event: Fields) => string | void> = {
		'response.output_text.delta'({ delta }) {
			// some services wrap it, as a part of a message is
			const text = findAnswerText(delta) ?? '';
			if (text) pieces.push(text);
			return text;
		},
		'response.refusal.delta': ({ delta }) => addTo(refusal, delta),
		'response.reasoning_summary_text.delta': ({ delta }) => addTo(reasoning, delta),
		'response.reasoning_text.delta': ({ delta }) => addTo(reasoning, delta),
		'response.output_item.added': takeItem,
		'response.output_item.done': takeItem,
		'response.function_call_arguments.delta'(event) {
			const item = callAt(event);
			item['arguments'] = `${textOf(item['arguments'])}${textOf(event['delta'])}`;
		},
		'response.function_call_arguments.done'(event) {
			const item = callAt(event);
			if (typeof event['arguments'] === 'string') item['arguments'] = event['arguments'];
		},
		'response.completed'({ response: ended }) {
			if (isObject(ended) && ended['status'] === 'failed') failure = failureOf(ended);
			else whole = true;
		},
		'response.incomplete'() {
			response = { ...response, status: 'incomplete' };
			whole = true;
		},
		'response.failed': ({ response: failed }) => void (failure = failureOf(failed)),
		// its type is no code
		error: (event) => void (failure = readReportedError({ ...event, type: undefined })),
	};

	return {
		take(event: Fields, name?: string): string {
			const type = typeof event['type'] === 'string' ? event['type'] : name;
			const { usage } = event;
			if (isObject(usage)) response = { ...response, usage };
			if (isObject(event['response'])) response = { ...response, ...given(event['response']) };
			return (type && Object.hasOwn(takers, type) && takers[type]?.(event)) || '';
		},
		takeWhole(body: Fields): boolean {
			const inner = isObject(body['response']) ? body['response'] : body;
			if (!Array.isArray(inner['output']) && typeof inner['output_text'] !== 'string') return false;
			response = inner;
			if (inner['status'] === 'failed') failure = failureOf(inner);
			return (whole = true);
		},
		isWhole: () => whole,
		failure: () => failure,
		answer(): ResponseAnswer {
			const sorted = [...items.entries()].sort(([one], [other]) => one - other);
			const given = response['output'];
			const came = sorted.map(([, item]) => item);
			const isGiven = Array.isArray(given) && given.length > 0;
			const output = isGiven ? given.filter(isObject) : came;
			const streamed = pieces.join('');
			const final = whole ? finalText(response, output) : '';
			// of what came by itself some may have no end of its own
			const hasAll = final && (isGiven || final.length >= streamed.length);
			const { model, usage } = response;
			const called = output.filter(({ type }) => type === 'function_call');
			const finishReason = finishReasonOf(response, called.length > 0);
			const said = refusal.join('') || textIn(output, 'refusal');
			const thought = reasoning.join('') || thoughtsIn(output);
			return {
				text: hasAll ? final : streamed,
				model: typeof model === 'string' && model ? model : requestedModel,
				toolCalls: called.map((item) =>
					toToolCall(item['call_id'] ?? item['id'], item['name'], item['arguments']),
				),
				...(whole && finishReason && { finishReason }),
				...(isObject(usage) && { usage }),
				...(said && { refusal: said }),
				...(thought && { reasoning: thought }),
				response: { ...response, output },
			};
		},
	};
}

function addTo(pieces: string[], delta: unknown): void {
	if (typeof delta === 'string') pieces.push(delta);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** A field that a later event leaves out or empty is not taken back. */
const given = (fields: Fields) =>
	Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
	);

function finalText(response: Fields, output: Fields[]): string {
	return textIn(output, 'text') || textOf(response['output_text']);
}

/** Texts of all parts that have this field, of all messages. */
function textIn(output: Fields[], field: 'text' | 'refusal'): string {
	return output
		.filter(({ type = 'message' }) => type === 'message')
		.flatMap(({ content }) => partsOf(content))
		.map((part) => textOf(part[field]))
		.join('');
}

function thoughtsIn(output: Fields[]): string {
	return output
		.filter(({ type }) => type === 'reasoning')
		.flatMap(({ summary, content }) => [...partsOf(summary), ...partsOf(content)])
		.map(({ text }) => textOf(text))
		.join('');
}

const partsOf = (content: unknown): Fields[] =>
	Array.isArray(content) ? content.filter(isObject) : [{ text: content }];

function failureOf(response: unknown): ServiceErrorDetails {
	const error = isObject(response) ? response['error'] : undefined;
	return error ? readReportedError(error) : { reason: 'The response failed.' };
}

/** In the words of chat completions, so that both protocols tell the same thing in the same way. */
function finishReasonOf(response: Fields, calls: boolean): string | undefined {
	const details = response['incomplete_details'];
	const reason = isObject(details) ? details['reason'] : undefined;
	if (reason === 'max_output_tokens' || reason === 'max_tokens') return 'length';
	if (typeof reason === 'string') return reason;
	if (response['status'] === 'incomplete') return 'incomplete';
	return calls ? 'tool_calls' : 'stop';
}
