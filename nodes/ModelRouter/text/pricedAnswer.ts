import { isUnstarted, mapServiceError, ServiceError, withDetails } from '../../../src/core/errors';
import type { RecordedRequest } from '../../../src/core/spending';
import type { Http } from '../../../src/core/http';
import { omitMissing } from '../../../src/core/json';
import { compileSchema } from '../../../src/core/jsonSchema';
import { toUsd } from '../../../src/core/money';
import { readTokenCounts } from '../../../src/core/tokenCounts';
import { regexEngine } from '../../../src/n8n/n8nVersions';
import { explainBalance } from '../../../src/router/advice';
import type { ChatMessage } from '../../../src/router/messages';
import type { Model } from '../../../src/router/model';
import { textCost } from '../../../src/router/pricing';
import { type Protocol, protocols } from '../../../src/router/protocols';
import {
	answerWarning,
	createStructuredReader,
	type TextAnswer,
	type TextChoice,
	type ToolCall,
} from '../../../src/router/textAnswer';
import type { OnText } from '../../../src/router/textStream';
import type { TextValues } from './text.params';

/** How a text request is sent, and which parts of its answer are kept. */
interface Asking {
	/** The catalog entry, if there is one. */
	model: Model | undefined;
	onText: OnText;
	/** Counts the requests of the account in flight, including this one. */
	countInFlight(): number;
	/** Whether the answer keeps the protocol's own object. */
	keepRaw: boolean;
	/** As of the answer. */
	reservedUsd?: number | undefined;
}

/** Asks a model. The answer includes its cost; if it broke off, the cost is in `details.partial`. */
export async function askWithCost(
	http: Http,
	protocol: Protocol,
	body: Record<string, unknown>,
	{ model, onText, countInFlight, keepRaw, reservedUsd }: Asking,
): Promise<PricedAnswer> {
	const { ask, raw, limit: own } = protocols[protocol];
	const toPriced = (answer: object): PricedAnswer => {
		const { [raw]: own, ...priced } = answer as PricedAnswer;
		const costUsd = toUsd(costOfAnswer(answer, model));
		return {
			...priced,
			...(keepRaw && { [raw]: own }),
			// it is not the service's own figure
			...(costUsd === undefined ? omitMissing({ reservedUsd }) : { costUsd, costComputed: true }),
		};
	};
	try {
		return toPriced(await ask(http, body as never, onText));
	} catch (cause) {
		throw mapServiceError(cause, (error) => {
			const { partial } = error.details;
			const explained = explainBalance(error, { body, own, model, others: countInFlight() - 1 });
			if (partial) return withDetails(explained, { partial: toPriced(partial) });
			if (reservedUsd === undefined || isUnstarted(error)) return explained;
			return withDetails(explained, { computed: { ...explained.details.computed, reservedUsd } });
		});
	}
}

/**
 * The cost of an answer, complete or not, in micro-dollars. Undefined if it is not known.
 *
 * @param record Receives the token counts.
 */
export function costOfAnswer(
	ended: object | ServiceError,
	model: Model | undefined,
	record?: RecordedRequest,
): number | undefined {
	const answer = ended instanceof ServiceError ? ended.details.partial : ended;
	const usage = answer && 'usage' in answer ? answer.usage : undefined;
	const { input, output } = readTokenCounts(usage);
	record?.setTokens(input, output);
	return textCost(model?.pricing, usage);
}

/** An answer with its cost, if known, and the protocol's own object, if kept. */
export type PricedAnswer = TextAnswer & {
	/** USD. */
	costUsd?: number;
	costComputed?: boolean;
	/** USD, if the cost is not known: the most that it can be. It stays counted in every cap. */
	reservedUsd?: number;
	durationMs?: number;
	completion?: unknown;
	response?: unknown;
};

/** The fields of an answer for the output, without protocol details. */
export const simplifyAnswer = ({ choices, ...answer }: TextAnswer): object => ({
	...simplifyChoice(answer),
	...(answer.toolCalls.length && { message: toAssistantMessage(answer) }),
	...(choices && { answers: choices.map(simplifyChoice) }),
});

const simplifyChoice = ({ text, toolCalls, ...rest }: TextChoice): object => ({
	output: text,
	...rest,
	...(toolCalls.length && { toolCalls: toolCalls.map(withInputField) }),
});

/** n8n's expressions cannot read a field called "arguments", so its value is in "input" as well. */
const withInputField = (call: ToolCall) => ({ ...call, input: call.arguments });

/** The answer as a message for the next request, in which the results of the tools follow it. */
function toAssistantMessage({ text, toolCalls }: TextChoice): ChatMessage {
	const calls = toolCalls.map(({ id, name, arguments: value }) => ({
		id,
		type: 'function',
		function: { name, arguments: typeof value === 'string' ? value : JSON.stringify(value) },
	}));
	return { role: 'assistant', content: text || null, tool_calls: calls };
}

export type StructuredReader = ReturnType<typeof createStructuredReader>;

/** A schema without an expression is the same object for all items, and is compiled once. */
const cachedReaders = new WeakMap<object, StructuredReader>();

/**
 * Creates the reader for a response format; undefined for plain text.
 *
 * @throws ServiceError `invalid` for an unusable schema.
 */
export function createAnswerReader({
	responseFormat,
	jsonSchema,
}: Pick<TextValues, 'responseFormat' | 'jsonSchema'>): StructuredReader | undefined {
	if (responseFormat === 'text') return undefined;
	if (responseFormat === 'json_object') return createStructuredReader();
	const reader =
		cachedReaders.get(jsonSchema) ?? createStructuredReader(compileSchema(jsonSchema, regexEngine));
	cachedReaders.set(jsonSchema, reader);
	return reader;
}

/**
 * Reads an answer as JSON.
 *
 * @throws ServiceError `schemaMismatch`, with the answer (which is billed) and the path of the value that does not match.
 */
export function readStructuredAnswer(
	read: StructuredReader,
	answer: TextAnswer,
	maxTokens?: number,
): { parsed?: unknown; parsedAnswers?: unknown[] } {
	const choices = answer.choices ?? [answer];
	const parsed = choices.map(({ text }, index) => {
		const result = read(text);
		if ('parsed' in result) return result.parsed;
		const number = choices.length > 1 ? ` ${index + 1}` : '';
		throw new ServiceError('schemaMismatch', `The answer${number} is not in the requested format`, {
			outcome: 'started',
			reason: result.reason,
			...omitMissing({ requestId: answer.requestId }),
			computed: { place: result.place },
			partial: answer,
			advice:
				answerWarning(answer, maxTokens) ??
				'Describe the format in the messages as well, or use a model that follows it. The answer is billed; its text is in the details.',
		});
	});
	return { parsed: parsed[0], ...(answer.choices && { parsedAnswers: parsed }) };
}
