import type { Accounts, RecordedRequest } from '../core/accounts';
import type { Cost, WaitForOthers } from '../core/reserve';
import {
	isUnstarted,
	joinSentences,
	type ServiceError,
	withDetails,
	withFullStop,
} from '../core/errors';
import type { Http } from '../core/http';
import { omitMissing } from '../core/json';
import { toUsd } from '../core/money';
import type { Sent, StartPaid } from '../core/startPaid';
import { describeContradiction, readTokenCounts, type TokenCounts } from '../core/tokenCounts';
import { explainBalance } from '../router/advice';
import { textCost } from '../router/pricing';
import { leastPricingOf } from '../router/catalogPrices';
import { explainMaximumPrice, maximumPrice } from '../router/maximumPrice';
import { withLowerLimit } from '../router/ownFields';
import { BYTES_PER_TOKEN, maximumPromptTokens } from '../router/promptTokens';
import { protocols } from '../router/protocols';
import { readReportedCost, settleCost } from '../router/reportedCost';
import { idsOfAnswered, isSameModel } from '../router/model';
import { type AnswerFile, answerWarning, type TextAnswer } from '../router/textAnswer';
import type { OnText } from '../router/textStream';
import { type Body, reserveCall, type TextCall } from './call';
import { type FoundModel, isGuess } from './catalog';
import { toEnded } from './choose';

/** What a paid text needs of its operation or chat model. */
interface PayContext {
	http: Http;
	accounts: Accounts;
	startPaid: StartPaid;
	/** Paid requests that this process has in flight for the same account. */
	countInFlight(): number;
	stream: OnText;
	waitForOthers: WaitForOthers;
	/** Gets the tokens of what has arrived. */
	countTokens?(input: number, output: number): void;
	/** What the answer keeps of the protocol's own object, and of the files in it. It does not fail: the answer is paid for. */
	keep?(
		answer: TextAnswer,
		raw: Record<string, unknown>,
		files: AnswerFile[] | undefined,
	): Promise<Pick<PricedAnswer, 'raw' | 'message' | 'files' | 'binary'>>;
}

/** An answer that was paid for. */
export interface PaidText {
	answer: PricedAnswer;
	/** Also if their cost is not known. */
	tokens: TokenCounts;
	/** The output tokens that the caps allowed, if no maximum was set. */
	maxTokens: number | undefined;
	/** What of it comes back in the next request, as it came. */
	given: unknown[];
	/** What is to be known of it and of its cost. */
	notice: string | undefined;
}

type Price = ReturnType<TextCall['price']>;

/**
 * Asks a model within the caps of its call, and pays for the answer.
 *
 * @throws ServiceError with an outcome, and with what arrived and its cost in `details.partial`.
 */
export async function payText(call: TextCall, context: PayContext): Promise<PaidText> {
	const { accounts, startPaid, waitForOthers } = context;
	const { found, model, label } = call;
	const scopes = accounts.openCall(found.entry?.id ?? model, label);
	const { durationMs, ...paid } = await startPaid({
		reserve: async () => await reserveCall(call, scopes, waitForOthers),
		send: async ({ bound: price }) => await ask(call, price, context, scopes.record),
	});
	return { ...paid, answer: { ...paid.answer, ...omitMissing({ durationMs }) } };
}

async function ask(
	call: TextCall,
	price: Price,
	{ http, stream, keep, countTokens, countInFlight }: PayContext,
	record: RecordedRequest | undefined,
): Promise<Sent<PaidText & { durationMs?: number }>> {
	const { ask: send, given, raw, limit } = protocols[call.protocol];
	const body = withMaximumPrice(call, price, http);
	const sendBody = async (sent: Body): Promise<Asked> => await send(http, sent as never, stream);
	const asked = await toEnded(
		price.maxTokens ? withLowerLimit(http, body, limit, sendBody) : sendBody(body),
	);
	const arrived = 'failure' in asked ? (asked.failure.details.partial as Asked) : asked;
	const priced = arrived && (await priceAnswer(call, price, arrived, { keep, http }));
	if (priced) {
		const { input, output } = priced.tokens;
		record?.setTokens(input, output);
		countTokens?.(input ?? 0, output ?? 0);
	}
	if ('failure' in asked) {
		const request = { body, own: limit, model: call.found.entry, others: countInFlight() - 1 };
		const error = explainBalance(asked.failure, request);
		if (!priced) {
			const cost = feeOf(error, price);
			return { failure: explainLost(error, call, { ...price, cost }, body), cost };
		}
		return { failure: withDetails(error, { partial: priced.answer }), cost: priced.cost };
	}
	const { cost, tokens, maxTokens, notice: ofCost } = priced;
	const answer = withCut(priced.answer, tokens, maxTokens ?? body[limit]);
	const warning = answerWarning(answer, maxTokens);
	const notice = joinSentences(warning, describeContradiction(tokens), ofCost) || undefined;
	return { result: { answer, tokens, maxTokens, given: given(asked[raw] ?? {}), notice }, cost };
}

/**
 * vLLM says of an answer with calls that they are why it has ended, although its limit has cut it off: it has as many tokens as were allowed.
 *
 * @see vllm-project/vllm#58228
 */
const withCut = (answer: PricedAnswer, { output }: TokenCounts, allowed: unknown): PricedAnswer =>
	answer.finishReason === 'tool_calls' &&
	!answer.choices &&
	output !== undefined &&
	output === allowed
		? { ...answer, finishReason: 'length' }
		: answer;

/** As it is sent: a service that can be kept to a price is told the one that was reserved, and to do nothing that is paid besides. */
function withMaximumPrice({ found }: TextCall, price: Price, { hostname }: Http): Body {
	const { body } = price;
	if (!found.entry || 'unbounded' in price) return body;
	const hasFiles = price.promptCountedBy !== 'bytes';
	return { ...body, ...maximumPrice(found.entry, body, hasFiles, hostname) };
}

/** As it came. */
type Asked = TextAnswer & {
	[name in 'completion' | 'response']?: Record<string, unknown>;
} & { reportedUsd?: string; maxTokens?: number };

/** What an answer has cost: what the service reports, or what follows from its tokens. @returns micro-dollars, if they are known. */
async function priceAnswer(
	call: TextCall,
	price: Price,
	asked: Asked,
	{ keep, http }: { keep: PayContext['keep']; http: Http },
): Promise<Pick<PaidText, 'answer' | 'tokens' | 'maxTokens'> & { cost: Cost; notice: string }> {
	const { reportedUsd, maxTokens, attached, ...came } = asked;
	const { [protocols[call.protocol].raw]: raw = {}, ...answer } = came;
	const { found } = call;
	const tokens = readTokenCounts(answer.usage);
	const computed = isCounted(tokens, answer)
		? computeCost(call, answer.model, tokens)
		: leastCost(call, answer);
	const settled = settleCost(readReportedCost(answer.usage, reportedUsd), computed);
	const { cost, isReported } = settled;
	const costUsd = toUsd(cost);
	const figures: Pick<PricedAnswer, 'costUsd' | 'costComputed' | 'reservedUsd' | 'costSource'> =
		costUsd === undefined
			? reservedUsd(price)
			: {
					costUsd,
					...(isReported
						? { costSource: 'service' }
						: { costComputed: true, ...omitMissing({ costSource: found.priceSource }) }),
				};
	const isCapGuess = !('unbounded' in price) && isGuess(found, http.hostname);
	const kept = await keep?.(answer, raw, attached);
	const lost = attached && !kept?.files && NO_FILES;
	const notice = joinSentences(found.priceNotice, settled.notice, lost);
	const certainty = isCapGuess && { maxCostIsGuess: true };
	const priced = { ...answer, ...kept, ...figures, ...certainty };
	return { answer: priced, tokens, maxTokens, cost, notice };
}

const NO_FILES =
	'The answer has a picture or sound, which an AI agent does not get: Message a Model in a workflow returns it as a file.';

/**
 * By the price of the model that was asked or, if the answer names another one, by the dearer of both.
 *
 * @returns micro-dollars: the most and the least that the prices of the catalog give.
 */
function computeCost({ model, found, find }: TextCall, answered: string, tokens: TokenCounts) {
	const { entry } = found;
	if (!entry) return {};
	const ids = idsOfAnswered(answered, entry.id);
	const isAsked = ids.some((id) => isSameModel(id, entry.id) || isSameModel(id, model));
	const [other] = isAsked
		? []
		: ids.map(find).flatMap((one) => (one.entry && !one.isAnyOther ? [one.entry] : []));
	const cost = textCost(entry.pricing, tokens);
	const ofOther = other && textCost(other.pricing, tokens);
	const lowest = leastPricingOf(entry);
	const least = lowest === entry.pricing ? cost : textCost(lowest, tokens);
	return omitMissing({ most: cost === undefined ? cost : Math.max(cost, ofOther ?? cost), least });
}

const reservedUsd = ({ microUsd }: Price) => omitMissing({ reservedUsd: toUsd(microUsd) });

/**
 * Whether an answer was counted. Gateways report 0 for what they have not counted, which is not free: a prompt has tokens, and so has what
 * comes back.
 *
 * @see garrytan/gbrain#3249
 */
const isCounted = ({ input, output }: TokenCounts, { text, toolCalls }: Partial<TextAnswer>) =>
	input !== 0 && (output !== 0 || !(text || toolCalls?.length));

/** What an answer costs at least that was not counted, as far as its texts show. */
const leastCost = ({ body, found: { entry } }: TextCall, { text }: Pick<TextAnswer, 'text'>) =>
	omitMissing({
		least:
			entry &&
			textCost(leastPricingOf(entry), {
				input: maximumPromptTokens(body).least,
				output: Math.ceil(text.length / BYTES_PER_TOKEN),
			}),
	});

/** Micro-dollars that xAI charges for a request against its guidelines. @see https://docs.x.ai/developers/pricing (Usage Guidelines Violation Fee) */
const FEE = 50_000;

/** What a refusal costs, where that is more than was reserved. */
const feeOf = ({ details: { reason = '' } }: ServiceError, { microUsd = 0 }: Price) =>
	microUsd < FEE && /violates usage guidelines/i.test(reason) ? FEE : undefined;

/** A failure before anything arrived: it was refused, or nobody knows what has become of it. */
function explainLost(
	error: ServiceError,
	{ found }: TextCall,
	price: Price & { cost: Cost },
	body: Body,
) {
	if (isUnstarted(error)) return adviseModel(explainMaximumPrice(error, body), found);
	const costUsd = toUsd(price.cost);
	const figures = costUsd === undefined ? reservedUsd(price) : { costUsd };
	return withDetails(error, { computed: { ...error.details.computed, ...figures } });
}

/** What to do where neither the service nor the catalog has a model, or neither is at this address. */
function adviseModel(error: ServiceError, found: FoundModel): ServiceError {
	const isMissing = error.details.status === 404 && !found.entry && found.trouble;
	if (!isMissing) return error;
	const advice = joinSentences(withFullStop(found.unbounded), found.remedy);
	return withDetails(error, { advice });
}

/** An answer with its cost, if known, and the protocol's own object, if kept. */
export type PricedAnswer = TextAnswer & {
	/** USD. */
	costUsd?: number;
	costComputed?: boolean;
	/** Where the cost is from, if not from the price in the catalog: the service's own figure, or a price of the credential. */
	costSource?: 'service' | 'credential';
	/** Whether the request could cost more than what its caps counted it with, because nobody vouches for the price. */
	maxCostIsGuess?: boolean;
	/** USD, if the cost is not known: the most that it can be. It stays counted in every cap. */
	reservedUsd?: number;
	durationMs?: number;
	/** The files that came within it, by the names of their fields. */
	binary?: object;
	/** The protocol's own object. */
	raw?: Record<string, unknown>;
	/** What comes back in the next request. */
	message?: unknown;
};
