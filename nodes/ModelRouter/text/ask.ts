import type { IDataObject } from 'n8n-workflow';

import { whatArrived } from '../../../src/n8n/incomplete';
import type { Call, Output } from '../../../src/n8n/operation';
import { explainBalance } from '../../../src/router/balance';
import { textCost } from '../../../src/router/prices';
import type { OnText } from '../../../src/router/streamedAnswer';
import { noticeOf, type TextAnswer } from '../../../src/router/textAnswer';
import type { Http } from '../../../src/service/http';
import { explained, ServiceError, withDetails } from '../../../src/service/errors';
import { knownModel } from '../catalog';
import type { StructuredReader } from './format';
import { readParsed } from './parsed';
import { requestIdOf, simplified } from './simplified';
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

	const costOf = ({ usage }: TextAnswer) => {
		const cost = textCost(model?.pricing, usage);
		return cost ? { cost } : {};
	};

	const toItem = ({ answer, raw: whole }: Kept, parsed: object, more: object): Output => {
		const rest = whole
			? { [raw]: whole, ...costOf(answer), ...requestIdOf(answer) }
			: { ...simplified(answer), ...costOf(answer) };
		return { json: { output: answer.text, ...parsed, ...rest, ...more } as IDataObject };
	};

	try {
		const answered = await once(body, send);
		const { answer } = answered;
		const notice = noticeOf(answer);
		if (notice) hint(notice);
		const parsed = request.structured
			? readParsed(request.structured, { ...answer, ...costOf(answer) })
			: {};
		return toItem(answered, parsed, { ...(notice && { notice }), complete: true });
	} catch (cause) {
		const broken = brokenOff(cause);
		if (!broken) throw explained(cause);
		const {
			error,
			kept: { answer },
		} = broken;
		const arrived = request.onIncomplete === 'partial' ? whatArrived<Kept>(error) : undefined;
		if (!arrived) throw withDetails(error, { partial: { ...answer, ...costOf(answer) } });
		const { partial, notice } = arrived;
		hint(notice);
		return toItem(partial, {}, { ...requestIdOf(arrived), notice, complete: false });
	}
}

/** What `send` kept of an answer that broke off. */
function brokenOff(cause: unknown): { error: ServiceError; kept: Kept } | undefined {
	if (!(cause instanceof ServiceError)) return undefined;
	const { partial } = cause.details;
	return partial && 'answer' in partial ? { error: cause, kept: partial as Kept } : undefined;
}

/** Tokens in and out, in the words of either protocol; 0 where the model did not say. */
function tokensOf({ usage = {} }: TextAnswer): [input: number, output: number] {
	const count = (...names: string[]) => {
		const value = names.map((name) => usage[name]).find((given) => given !== undefined);
		return typeof value === 'number' && value > 0 ? value : 0;
	};
	return [count('prompt_tokens', 'input_tokens'), count('completion_tokens', 'output_tokens')];
}
