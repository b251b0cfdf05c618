import { checkCaps } from '../../../src/core/caps';
import { reserve } from '../../../src/core/reserve';
import {
	isUnstarted,
	joinSentences,
	mapServiceError,
	ServiceError,
	withDetails,
	withFullStop,
} from '../../../src/core/errors';
import { omitMissing } from '../../../src/core/missing';
import { compileSchema, type SchemaError } from '../../../src/core/jsonSchema';
import { type Decimal, toUsd } from '../../../src/core/money';
import { createStructuredReader, type StructuredReader } from '../../../src/core/structuredAnswer';
import { readTokenCounts, type TokenCounts } from '../../../src/core/tokenCounts';
import { regexEngine } from '../../../src/n8n/n8nVersions';
import type { OperationContext } from '../../../src/n8n/operation';
import type { StartPaid } from '../../../src/n8n/startPaid';
import { explainBalance } from '../../../src/router/advice';
import { textCost } from '../../../src/router/pricing';
import { type Protocol, protocols } from '../../../src/router/protocols';
import {
	answerWarning,
	type TextAnswer,
	type TextChoice,
	type ToolCall,
} from '../../../src/router/textAnswer';
import type { OnText } from '../../../src/router/textStream';
import type { TextValues } from './text.params';
import type { FoundModel } from '../catalog';
import { limitOutput, type TextLimits } from './textRequest';

/** A text request, and what becomes of its answer. */
interface PaidText {
	/** Not limited: what the caps allow changes with the prices. */
	body: Parameters<typeof limitOutput>[1];
	found: FoundModel;
	limits: TextLimits;
	/** What the answer keeps of the protocol's own object. */
	keep?(answer: TextAnswer, raw: Record<string, unknown>): Pick<PricedAnswer, 'raw' | 'message'>;
	/**
	 * Throws if the answer is of no use. It is paid for, and the failure is remembered.
	 *
	 * @param given What comes back in the next request.
	 */
	checkAnswer?(answer: PricedAnswer, maxTokens: number | undefined, given: unknown[]): void;
}

type Context = OperationContext<unknown>;
/** What a paid text needs of its operation or chat model. */
export interface AskContext extends Pick<Context, 'http' | 'accounts' | 'countInFlight'> {
	startPaid: StartPaid;
	stream: OnText;
	countTokens?: Context['countTokens'];
}

/**
 * Asks a model within its caps, and pays for the answer. If the answer broke off, its cost is in `details.partial`. It is sent if its bound
 * fits: a conversation may be sent in another form than the one by which its model was chosen.
 *
 * @returns also the output tokens that the caps allowed, if no maximum was set.
 * @throws ServiceError as `startPaid`.
 */
export async function askPaid(
	{ http, accounts, startPaid, countInFlight, countTokens, stream }: AskContext,
	{ body: unlimited, found, limits, keep, checkAnswer }: PaidText,
): Promise<{ answer: PricedAnswer; maxTokens: number | undefined }> {
	const model = 'entry' in found ? found.entry : undefined;
	const scopes = accounts.openCall(model?.id ?? unlimited.model, limits.label);
	const { ask, given, raw: rawName, limit: own } = protocols[limits.protocol];
	let limited = limitOutput(found, unlimited, limits);
	const boundWithin = (free?: Decimal) =>
		(limited = limitOutput(found, unlimited, limits, free)).bound;
	let tokens: TokenCounts = {};
	let microUsd: number | undefined;
	const toPriced = ({ [rawName]: raw = {}, ...answer }: Asked): PricedAnswer => {
		tokens = readTokenCounts(answer.usage);
		scopes.record?.setTokens(tokens.input, tokens.output);
		microUsd = isCounted(tokens, answer) ? textCost(model?.pricing, answer.usage) : undefined;
		const costUsd = toUsd(microUsd);
		return {
			...answer,
			...keep?.(answer, raw),
			// it is not the service's own figure
			...(costUsd === undefined ? reservedUsd() : { costUsd, costComputed: true }),
		};
	};
	const reservedUsd = () => omitMissing({ reservedUsd: toUsd(limited.cost.microUsd) });
	const explain = (error: ServiceError): ServiceError => {
		const { partial } = error.details;
		const others = countInFlight() - 1;
		const explained = explainBalance(error, { body: limited.body, own, model, others });
		if (partial) return withDetails(explained, { partial: toPriced(partial as Asked) });
		if (isUnstarted(error)) return adviseModel(explained, found);
		const { computed } = explained.details;
		return withDetails(explained, { computed: { ...computed, ...reservedUsd() } });
	};
	const answer = await startPaid<PricedAnswer>({
		async reserve() {
			checkCaps(limits.caps, limited.bound, limits.allowUnknownCost ?? false);
			return await reserve({ ...limits.caps, ...scopes }, boundWithin);
		},
		costOf() {
			countTokens?.(tokens.input ?? 0, tokens.output ?? 0);
			return microUsd;
		},
		async send() {
			const asked: Asked = await ask(http, limited.body as never, stream).catch(
				(cause: unknown) => {
					throw mapServiceError(cause, explain);
				},
			);
			const priced = toPriced(asked);
			checkAnswer?.(priced, limited.cost.maxTokens, given(asked[rawName] ?? {}));
			return priced;
		},
	});
	return { answer, maxTokens: limited.cost.maxTokens };
}

/**
 * Whether an answer was counted. Gateways report 0 for what they have not counted, which is not free: a prompt has tokens, and so has what
 * comes back.
 *
 * @see garrytan/gbrain#3249
 */
const isCounted = ({ input, output }: TokenCounts, { text, toolCalls }: Partial<TextAnswer>) =>
	input !== 0 && (output !== 0 || !(text || toolCalls?.length));

/** What to do where neither the service nor the catalog has a model, or neither is at this address. */
function adviseModel(error: ServiceError, found: FoundModel): ServiceError {
	const isMissing = error.details.status === 404 && 'unbounded' in found && found.trouble;
	return isMissing
		? withDetails(error, {
				advice: joinSentences(withFullStop(found.unbounded), found.remedy),
			})
		: error;
}

/** As it came. */
type Asked = TextAnswer & { [name in 'completion' | 'response']?: Record<string, unknown> };

/** An answer with its cost, if known, and the protocol's own object, if kept. */
export type PricedAnswer = TextAnswer & {
	/** USD. */
	costUsd?: number;
	costComputed?: boolean;
	/** USD, if the cost is not known: the most that it can be. It stays counted in every cap. */
	reservedUsd?: number;
	durationMs?: number;
	/** The protocol's own object. */
	raw?: Record<string, unknown>;
	/** What comes back in the next request. */
	message?: unknown;
};

/** The message of an answer that calls tools or shows how it was thought of: its vendor wants that back. */
export function keepMessage(
	answer: TextAnswer,
	raw: Record<string, unknown>,
	protocol: Protocol,
): { message?: unknown } {
	const { given, toMessage } = protocols[protocol];
	const entries = given(raw);
	const hasThoughts = entries.some((entry) => {
		const { type, content } = Object(entry) as Record<string, unknown>;
		return type === 'reasoning' || (type === undefined && Array.isArray(content));
	});
	const isKept = answer.toolCalls.length || answer.reasoning || hasThoughts;
	return isKept ? { message: toMessage(answer, entries) } : {};
}

/** The fields of an answer for the output, without protocol details. @param outputs Of a structured answer, in place of its texts. */
export const simplifyAnswer = (
	{ choices, ...answer }: TextAnswer,
	outputs: readonly object[],
): object => ({
	...simplifyChoice(answer, outputs[0]),
	...(choices && { answers: choices.map((choice, at) => simplifyChoice(choice, outputs[at])) }),
});

const simplifyChoice = ({ text, toolCalls, ...rest }: TextChoice, output?: object): object => ({
	...(output ?? { output: text }),
	...rest,
	...(toolCalls.length && { toolCalls: toolCalls.map(withInputField) }),
});

/** n8n's expressions cannot read a field called "arguments", so its value is in "input" as well. */
const withInputField = (call: ToolCall) => ({ ...call, input: call.arguments });

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
 * @returns for each choice the value in `output` and its text in `text`.
 * @throws ServiceError `schemaMismatch`, with the answer (which is billed) and the path of the value that does not match.
 */
export function readStructuredAnswer(
	read: StructuredReader,
	answer: TextAnswer,
	maxTokens?: number,
): object[] {
	const choices = answer.choices ?? [answer];
	return choices.map(({ text }, index) => {
		const result = read(text);
		if ('value' in result) return { output: result.value, text };
		const number = choices.length > 1 ? ` ${index + 1}` : '';
		throw mismatchError(
			`The answer${number} is not in the requested format`,
			answerWarning(answer, maxTokens) ??
				'Describe the format in the messages as well, or use a model that follows it. The answer is billed; its text is in the details.',
			{ ...result, answer },
		);
	});
}

/** An answer that is paid for, and of no use. */
export const mismatchError = (
	message: string,
	whatToDo: string,
	{ reason, place, answer }: SchemaError & { answer: TextAnswer },
): ServiceError =>
	new ServiceError('schemaMismatch', message, {
		outcome: 'started',
		reason,
		...omitMissing({ requestId: answer.requestId }),
		computed: { place },
		partial: answer,
		advice: whatToDo,
	});
