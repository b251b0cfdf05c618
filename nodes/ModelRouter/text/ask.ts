import type { IDataObject } from 'n8n-workflow';

import type { Call, Output } from '../../../src/n8n/operation';
import { explainBalance } from '../../../src/router/balance';
import { textCost, type Cost } from '../../../src/router/prices';
import type { OnText } from '../../../src/router/streamedAnswer';
import type { StructuredReader } from './format';
import type { ChatMessage } from '../../../src/router/messages';
import {
	noticeOf,
	type TextAnswer,
	type TextChoice,
	type ToolCall,
} from '../../../src/router/textAnswer';
import type { Http } from '../../../src/service/http';
import { explained, ServiceError, withDetails } from '../../../src/service/errors';
import { knownModel } from '../catalog';
import { toSend, type TextRequest } from './textRequest';

/** A text request, and what to make of its answer. */
export interface Asked extends TextRequest {
	simplify: boolean;
	onIncomplete: 'error' | 'partial';
	/** Reads the answer as JSON, where it has to be. */
	structured?: StructuredReader | undefined;
}

/** How one protocol is spoken; `raw` is the name of its own object in the answer. */
interface Spoken<Raw extends string> {
	raw: Raw;
	ask(
		http: Http,
		body: { model: string } & Record<string, unknown>,
		onText: OnText,
	): Promise<TextAnswer & Record<Raw, Record<string, unknown>>>;
}

/** An answer without the protocol's own object, which is there where it was asked for. */
interface Kept {
	answer: TextAnswer;
	raw?: Record<string, unknown>;
}

/** Asks a model, and makes an item of its answer. */
export async function askText<Raw extends string>(
	call: Call<Asked>,
	{ raw, ask }: Spoken<Raw>,
): Promise<Output> {
	const { request, http, once, live, hint, countTokens, underWay } = call;
	const model = await knownModel(call, request.model);
	const body = await toSend(call);

	const kept = (answer: TextAnswer & Partial<Record<Raw, Record<string, unknown>>>): Kept => {
		const { [raw]: whole, ...rest } = answer;
		return { answer: rest as TextAnswer, ...(!request.simplify && whole && { raw: whole }) };
	};

	const send = async (): Promise<Kept> => {
		try {
			const answer = kept(await ask(http, body, live));
			countTokens(...tokensOf(answer.answer));
			return answer;
		} catch (cause) {
			throw explained(cause, (error) => {
				const told = explainBalance(error, { body, model, others: underWay() - 1 });
				const { partial } = told.details;
				return partial ? withDetails(told, { partial: kept(partial as never) }) : told;
			});
		}
	};

	const toItem = ({ answer, raw: whole }: Kept, more: IDataObject): Output => {
		const cost = textCost(model?.pricing, answer.usage);
		const json = whole
			? { output: answer.text, [raw]: whole, ...(cost && { cost }), ...requestIdOf(answer) }
			: simplified(answer, cost);
		return { json: { ...json, ...more } as IDataObject };
	};

	try {
		const answered = await once(body, send);
		const { answer } = answered;
		const notice = noticeOf(answer);
		if (notice) hint(notice);
		const parsed = request.structured && readParsed(request.structured, answer);
		return toItem(answered, { ...parsed, ...(notice && { notice }), complete: true });
	} catch (cause) {
		const partial = partialIn(cause);
		if (!partial) throw explained(cause);
		const { error, kept: arrived } = partial;
		if (request.onIncomplete === 'error' || error.kind !== 'cut')
			throw withDetails(error, {
				partial: { ...arrived.answer, ...costOf(model?.pricing, arrived) },
			});
		const notice = [`${error.message}.`, error.details.reason].filter(Boolean).join(' ');
		hint(notice);
		return toItem(arrived, { ...requestIdOf(error.details), notice, complete: false });
	}
}

/** What `send` kept of an answer that broke off. */
function partialIn(cause: unknown): { error: ServiceError; kept: Kept } | undefined {
	if (!(cause instanceof ServiceError)) return undefined;
	const { partial } = cause.details;
	return partial && 'answer' in partial ? { error: cause, kept: partial as Kept } : undefined;
}

const costOf = (pricing: Parameters<typeof textCost>[0], { answer }: Kept) => {
	const cost = textCost(pricing, answer.usage);
	return cost ? { cost } : {};
};

function simplified(answer: TextAnswer, cost: Cost | undefined): object {
	const { text, toolCalls, choices, usage, ...rest } = answer;
	return {
		output: text,
		...rest,
		...(usage && { usage }),
		...(cost && { cost }),
		...(toolCalls.length && { toolCalls: toolCalls.map(readable), message: messageOf(answer) }),
		...(choices && { choices: choices.map(simplifiedChoice) }),
	};
}

function simplifiedChoice({ text, toolCalls, ...rest }: TextChoice): object {
	return { output: text, ...rest, ...(toolCalls.length && { toolCalls: toolCalls.map(readable) }) };
}

/** n8n's expressions refuse to read a field called "arguments": what is in it is in "input", too. */
const readable = (call: ToolCall) => ({ ...call, input: call.arguments });

/** What the model said, as a message that goes before the results of its tools in the next request. */
function messageOf({ text, toolCalls }: TextAnswer): ChatMessage {
	const calls = toolCalls.map(({ id, name, arguments: given }) => ({
		id,
		type: 'function',
		function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
	}));
	return { role: 'assistant', content: text || null, tool_calls: calls };
}

const requestIdOf = ({ requestId }: { requestId?: string }) => (requestId ? { requestId } : {});

/** Tokens in and out, in the words of either protocol; 0 where the model did not say. */
function tokensOf({ usage = {} }: TextAnswer): [input: number, output: number] {
	const count = (...names: string[]) => {
		const value = names.map((name) => usage[name]).find((given) => given !== undefined);
		return typeof value === 'number' && value > 0 ? value : 0;
	};
	return [count('prompt_tokens', 'input_tokens'), count('completion_tokens', 'output_tokens')];
}

/** @throws ServiceError `unfit`, with the answer and the place that does not fit. */
function readParsed(read: StructuredReader, answer: TextAnswer): IDataObject {
	if (!answer.text && answer.toolCalls.length) return {};
	const choices = answer.choices ?? [answer];
	const parsed = choices.map(({ text }, index) => {
		const result = read(text);
		if ('parsed' in result) return result.parsed;
		const of = choices.length > 1 ? ` ${index + 1}` : '';
		throw new ServiceError('unfit', `The answer${of} is not what its format asks for`, {
			outcome: 'started',
			reason: result.reason,
			...requestIdOf(answer),
			computed: { place: result.place },
			partial: answer,
			advice:
				noticeOf(answer) ??
				'Describe the format in the messages, too, or use a model that honours "response_format". The answer is billed; its text is in the details.',
		});
	});
	return (
		answer.choices ? { parsed: parsed[0], parsedChoices: parsed } : { parsed: parsed[0] }
	) as IDataObject;
}
