import { parseErrorBody } from '../core/errorResponses';
import { isBadRequest, type ServiceErrorDetails } from '../core/errors';
import type { Http } from '../core/http';
import { isPlainObject, type JsonObject, omitMissing } from '../core/json';
import { refusedThoughts } from './thoughtRefusals';
import {
	BETWEEN_PARAGRAPHS,
	contentParts,
	createResponseText,
	finalTextOf,
	isCall,
	isMessage,
	mergeItems,
	readRefusal,
} from './responseItems';
import { checkCount, stringOrEmpty, toToolCall, type TextAnswer } from './textAnswer';
import { streamAnswer, type OnText } from './textStream';

/** What `POST /v1/responses` takes. Every further protocol field is forwarded as sent. */
export interface ResponseRequest {
	/** A model `id` from the catalog, e.g. `vendor/model`. */
	model: string;
	/** The whole conversation: responses are not stored. */
	input: string | object[];
	/** Cap on output tokens, hidden reasoning included. Unset, the balance hold assumes 4096. */
	max_output_tokens?: number;
	[field: string]: unknown;
}

/** What a model has to get back with the results of its tools: responses are not stored. */
const REASONING = 'reasoning.encrypted_content';

/**
 * Asks a text model in the responses protocol and collects its streamed answer. With tools, it is also asked for its reasoning, in the
 * encrypted form that comes back. A model that does not think refuses that (400: it has certainly not started), and is asked once more
 * without, and from then on.
 *
 * @throws ServiceError with an outcome; `truncated` when the stream reports an error or ends without `response.completed` (what
 *   arrived is in `details.partial`, and is billed).
 * @see POST /v1/responses
 */
export async function createResponse(
	http: Http,
	request: ResponseRequest,
	onText: OnText,
): Promise<ResponseAnswer> {
	const protocol = {
		path: '/v1/responses',
		requestName: 'request for a response',
		endMark: 'response.completed',
		createAccumulator: createResponseAccumulator,
	};
	const ask = async (body: ResponseRequest) =>
		await streamAnswer(http, { ...body, stream: true }, protocol, onText);
	const { model, tools, include } = request;
	const fact = `reasoning ${model}`;
	if (![tools].flat().some(Boolean) || http.serviceFacts?.has(fact)) return await ask(request);
	const withReasoning = { ...request, include: [...new Set([include ?? [], REASONING].flat())] };
	return await ask(withReasoning).catch(async (refusal: unknown) => {
		if (refusedThoughts(refusal) !== 'unavailable') throw refusal;
		const takesNone = () => http.serviceFacts?.set(fact, 'none');
		const answer = await ask(request).catch((cause: unknown) => {
			const about = refusedThoughts(cause) ?? 'unavailable';
			// without it, the answers that are put back are refused: they have another form
			if (about !== 'unavailable') takesNone();
			throw isBadRequest(cause) && about === 'unavailable' ? refusal : cause;
		});
		takesNone();
		return answer;
	});
}

interface ResponseAnswer extends TextAnswer {
	/** The response object of the last event that had one. Where it has no `output`, the items that arrived before. */
	response: JsonObject;
}

/** The output items. @param response Of an answer. */
export const readOutput = ({ output }: JsonObject): unknown[] => [output].flat();

/** Builds one response from the events of its stream. Unknown events are ignored. */
export function createResponseAccumulator(requestedModel: string) {
	const partial = createPartialResponse();
	const handlers = createEventHandlers(partial);
	const answer = () => toAnswer(partial, requestedModel);

	return {
		add(event: JsonObject, name?: string): string {
			const type = typeof event['type'] === 'string' ? event['type'] : name;
			const { usage } = event;
			// assigned, not copied: a service may repeat its whole response with every event
			if (isPlainObject(usage)) Object.assign(partial.response, { usage });
			if (isPlainObject(event['response']))
				// a later event without a value for a field does not remove it
				Object.assign(partial.response, omitMissing(event['response']));
			return (type && Object.hasOwn(handlers, type) && handlers[type]?.(event)) || '';
		},
		addComplete(body: JsonObject): boolean {
			if (!Array.isArray(body['output'])) return false;
			partial.response = body;
			if (body['status'] === 'failed') partial.failure = readFailure(body);
			partial.isComplete = true;
			return true;
		},
		isComplete: () => partial.isComplete,
		isEmpty(): boolean {
			const { text, toolCalls, finishReason = 'stop', refusal, reasoning } = answer();
			const hasContent = text || toolCalls.length || refusal || reasoning;
			if (hasContent || !ORDINARY_FINISH.test(finishReason)) return false;
			return !collectOutput(partial).some(isOtherOutput);
		},
		failure: () => partial.failure,
		answer,
	};
}

/** What has arrived of a response. */
type PartialResponse = ReturnType<typeof createPartialResponse>;

const createPartialResponse = () => ({
	/** The response object; each event that has one adds its fields. */
	response: {} as JsonObject,
	items: createItemAccumulator(),
	texts: createResponseText(),
	refusalChunks: [] as string[],
	reasoning: createResponseText(),
	/** Whether a delta of the current text part has arrived. Some services send a part only once it is complete. */
	partHasText: false,
	/** Whether the event that ends the response has arrived. */
	isComplete: false,
	failure: undefined as ServiceErrorDetails | undefined,
});

/** One handler for each type of event; it returns the text that the event adds. */
function createEventHandlers(
	partial: PartialResponse,
): Record<string, (event: JsonObject) => string | void> {
	const { items, texts, refusalChunks, reasoning } = partial;
	/** Each part of a summary is a paragraph. */
	const addReasoning = ({
		delta,
		output_index: index,
		item_id: id,
		summary_index: part,
	}: JsonObject) =>
		void reasoning.add(stringOrEmpty(delta), { output_index: [index ?? id, part].join() });
	return {
		'response.output_text.delta'(event) {
			const text = stringOrEmpty(event['delta']);
			partial.partHasText ||= text !== '';
			return texts.add(text, event);
		},
		'response.output_text.done'(event) {
			const text = partial.partHasText ? '' : stringOrEmpty(event['text']);
			partial.partHasText = false;
			return texts.add(text, event);
		},
		'response.refusal.delta': ({ delta }) => void refusalChunks.push(stringOrEmpty(delta)),
		'response.reasoning_summary_text.delta': addReasoning,
		'response.reasoning_text.delta': addReasoning,
		'response.output_item.added': items.merge,
		'response.output_item.done'(event) {
			items.merge(event);
			texts.endItem();
		},
		'response.function_call_arguments.delta'(event) {
			const item = items.findCall(event);
			item['arguments'] = `${stringOrEmpty(item['arguments'])}${stringOrEmpty(event['delta'])}`;
		},
		'response.function_call_arguments.done'(event) {
			const item = items.findCall(event);
			if (typeof event['arguments'] === 'string') item['arguments'] = event['arguments'];
		},
		'response.completed'({ response }) {
			if (isPlainObject(response) && response['status'] === 'failed')
				partial.failure = readFailure(response);
			else partial.isComplete = true;
		},
		'response.incomplete'() {
			Object.assign(partial.response, { status: 'incomplete' });
			partial.isComplete = true;
		},
		'response.failed'({ response }) {
			partial.failure = readFailure(response);
		},
		error(event) {
			// the type of this event is "error", which is not an error code
			partial.failure = parseErrorBody({ ...event, type: undefined });
		},
	};
}

const collectOutput = ({ response: { output }, items }: PartialResponse): JsonObject[] =>
	mergeItems(output, items.inOrder());

function toAnswer(partial: PartialResponse, requestedModel: string): ResponseAnswer {
	const { response, isComplete, texts, refusalChunks } = partial;
	const output = collectOutput(partial);
	const streamedText = texts.text();
	const finalText = isComplete ? finalTextOf(output) : '';
	const hasOutput = [response['output']].flat().includes(output[0]);
	// without an output, the final text may lack items that never ended
	const isFinalTextComplete = finalText && (hasOutput || finalText.length >= streamedText.length);
	const { model, usage } = response;
	const toolCalls = output.filter(isCall);
	const finishReason = readFinishReason(response, toolCalls.length > 0);
	const refusal = refusalChunks.join('') || readRefusal(output);
	const reasoning = partial.reasoning.text() || collectReasoning(output);
	return {
		text: isFinalTextComplete ? finalText : streamedText,
		model: typeof model === 'string' && model ? model : requestedModel,
		toolCalls: toolCalls.map((item) =>
			toToolCall(item['call_id'] ?? item['id'], item['name'], item['arguments']),
		),
		...(isComplete && finishReason && { finishReason }),
		...(isPlainObject(usage) && { usage }),
		...(refusal && { refusal }),
		...(reasoning && { reasoning }),
		response: { ...response, output },
	};
}

/** Finish reasons that do not explain an empty answer. */
const ORDINARY_FINISH = /^(stop|tool_calls)$/;

/** An item that is not text or a call of the caller's own tools: an image, a web search, reasoning that is encrypted. */
const isOtherOutput = (item: JsonObject) => !isMessage(item) && !isCall(item);

/** The items of a response, built from their events. */
function createItemAccumulator() {
	const items = new Map<number, JsonObject>();
	const indexById = new Map<unknown, number>();
	/** One more than the highest index. */
	let nextIndex = 0;

	/** The item that an event belongs to: by its index, else by its id. Created where its first event did not arrive. */
	const findItem = ({ output_index, item_id, item: fields }: JsonObject): JsonObject => {
		const id = item_id ?? (isPlainObject(fields) ? fields['id'] : undefined);
		const index =
			typeof output_index === 'number' ? output_index : id ? (indexById.get(id) ?? nextIndex) : 0;
		const item = items.get(index) ?? (id ? { id } : {});
		items.set(index, item);
		if (id && !indexById.has(id)) indexById.set(id, index);
		nextIndex = Math.max(nextIndex, index + 1);
		checkCount(items.size, 'items');
		return item;
	};

	return {
		/** Adds the fields of an event's `item`. */
		merge(event: JsonObject): void {
			if (!isPlainObject(event['item'])) return;
			const item = findItem(event);
			const { arguments: streamedArguments } = item;
			Object.assign(item, event['item']);
			// some services end a call with empty arguments: what was streamed stays
			if (streamedArguments && !item['arguments']) item['arguments'] = streamedArguments;
		},
		/** The call that an event is about. Only calls have arguments, and the last event may name the function. */
		findCall: (event: JsonObject): JsonObject =>
			Object.assign(
				findItem(event),
				{ type: 'function_call' },
				event['name'] && { name: event['name'] },
			),
		inOrder: () =>
			[...items.entries()].sort(([one], [other]) => one - other).map(([, item]) => item),
	};
}

function collectReasoning(output: JsonObject[]): string {
	return output
		.filter(({ type }) => type === 'reasoning')
		.flatMap(({ summary, content }) => [...contentParts(summary), ...contentParts(content)])
		.map(({ text }) => stringOrEmpty(text))
		.filter(Boolean)
		.join(BETWEEN_PARAGRAPHS);
}

function readFailure(response: unknown): ServiceErrorDetails {
	const error = isPlainObject(response) ? response['error'] : undefined;
	return error ? parseErrorBody(error) : { reason: 'The response failed.' };
}

/** In the terms of chat completions, so that both protocols report the same reasons. */
function readFinishReason(response: JsonObject, hasToolCalls: boolean): string | undefined {
	const { incomplete_details: details } = response;
	const reason = isPlainObject(details) ? details['reason'] : undefined;
	if (reason === 'max_output_tokens') return 'length';
	if (typeof reason === 'string') return reason;
	if (response['status'] === 'incomplete') return 'incomplete';
	return hasToolCalls ? 'tool_calls' : 'stop';
}
