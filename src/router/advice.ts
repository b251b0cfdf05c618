import { isBadRequest, joinSentences, ServiceError, withDetails } from '../core/errors';
import { type JsonObject, omitMissing } from '../core/json';
import { isTooLarge } from '../core/usedUp';
import { explainWrongEndpoint, type Model } from './model';
import { formatUsd, readInteger, type Decimal } from '../core/money';
import { findTextField } from './jobPricing';
import type { LimitField } from './outputLimits';
import { maximumAffordableOutput } from './pricing';

/**
 * Adds what the user can do to an error, for the codes and statuses in the specification.
 *
 * @param model The requested model.
 */
export function withAdvice(error: ServiceError, model?: string): ServiceError {
	if (error.details.code === 'wrong_endpoint') return explainWrongEndpoint(error, model);
	const advice = adviceFor(error);
	const existingAdvice = error.details.advice ?? '';
	// a caller may already have applied this
	if (!advice || existingAdvice.includes(advice)) return error;
	const { kind, message, details } = error;
	const isEmpty = details.status === 402 && isBalanceEmpty(error);
	const refused =
		isFlagged(error) || isTooLarge(details)
			? `The service refused the request (${details.status})`
			: message;
	const title = isEmpty ? 'The balance is empty (402)' : refused;
	return new ServiceError(kind, title, {
		...details,
		advice: joinSentences(advice, existingAdvice),
	});
}

/** Whether a refusal is for what a message says, and not for the key. @see https://openrouter.ai/docs/api-reference/errors (403), theopenco/llmgateway#1785 (xAI) */
const isFlagged = ({ details: { status, reason = '' } }: ServiceError) =>
	status === 403 && /\bflagged\b|\bmoderation\b|violates usage guidelines/i.test(reason);

const isBalanceEmpty = ({ details: { meta = {} } }: ServiceError): boolean =>
	readInteger(meta['balance_micro_usd'])?.lte(0) ?? false;

/** Whether a request was refused because its largest possible cost exceeds the free balance. */
const isBalanceTooSmall = ({ details: { code, status } }: ServiceError) =>
	code === 'insufficient_balance' || status === 402;

function adviceFor(error: ServiceError): string | undefined {
	const { code, status, ids } = error.details;
	if (isBalanceTooSmall(error)) return balanceAdvice(error);
	if (code === 'job_not_completed' || (ids?.['jobId'] && NOT_READY_STATUSES.includes(status ?? 0)))
		return 'The job is still running, or has failed: Wait for Job tells which.';
	if (isTooLarge(error.details))
		return 'It asks for more tokens than the account may use in a minute: shorten the messages, lower "Maximum Output Tokens", or raise the limit at the service.';
	if (isTooLong(error))
		return 'The conversation is too long for the model: shorten it or choose a model with a larger context window. For an AI agent, lower "Context Window Length" of its memory.';
	if (isFlagged(error)) return 'Change the messages, or use another model.';
	if (code === 'content_expired' || status === 410)
		return 'The file is no longer available: images and videos are kept for 7 days, music and speech must be downloaded right away.';
	return undefined;
}

/** Whether a request was refused because it does not fit the context window. The specification has no code for it. */
const isTooLong = ({ kind, details: { code, reason, status = 0 } }: ServiceError): boolean =>
	kind === 'refused' && [400, 413, 422].includes(status) && TOO_LONG.test(`${code} ${reason}`);

/**
 * What vendors say then: OpenAI (a code, and words that vLLM and OpenRouter have, too), then Anthropic (words, a code), then Google, then
 * llama.cpp 0.7.0, then xAI (cline/cline#3120), Moonshot (MoonshotAI/kimi-cli#2011), OpenAI and MiniMax, Groq and Cerebras, LM Studio,
 * Copilot and Bedrock (these: can1357/oh-my-pi, overflow.ts), GitHub Models (a code), Ollama's cloud and Perplexity (a code; both: crmne/ruby_llm, recordings).
 */
const TOO_LONG =
	/context_length_exceeded|maximum context length|prompt (is )?too long|too_many_prompt_tokens|request_too_large|exceeds the maximum number of tokens|exceed_context_size|maximum prompt length|exceeded model token limit|model max length exceeded|exceeds the context window|context window (exceeds|limit)|reduce the length of the|than the context length|token count of \d+ exceeds|input is too long|tokens_limit_reached/i;

/** Statuses that mean "not ready yet". @see section 7, and RFC 9110 */
const NOT_READY_STATUSES = [202, 204, 409];

function balanceAdvice(error: ServiceError): string {
	const figures = formatFigures(error, {
		needed: 'required_micro_usd',
		balance: 'balance_micro_usd',
		'held by other running requests': 'held_micro_usd',
	}).map(([label, amount]) => `${label}: ${amount}`);
	const details = figures.length ? ` (${figures.join(', ')})` : '';
	const what = isBalanceEmpty(error) ? 'The balance is empty' : 'The free balance is too small';
	const isHeld = readInteger(error.details.meta?.['held_micro_usd'])?.gt(0);
	const orWait = isHeld ? ', or wait for other requests to end' : '';
	return `${what}${details}. Top up the account at the service${orWait}.`;
}

/** The router's figures in dollars, under other names. What is not an amount is left out. */
const formatFigures = ({ details: { meta = {} } }: ServiceError, names: Record<string, string>) =>
	Object.entries(names).flatMap(([name, field]) => {
		const amount = formatUsd(meta[field]);
		return amount === undefined ? [] : [[name, amount] as const];
	});

/** A text request that was refused. */
interface RefusedRequest {
	/** What was sent. */
	body: Record<string, unknown>;
	/** The protocol's own field for the maximum output tokens. */
	own: LimitField;
	/** Its entry in the catalog, if known. */
	model: Model | undefined;
	/** Other requests of the same account that this n8n process had in flight. */
	others: number;
}

/**
 * Explains a refusal for lack of balance with the router's figures: which requests hold the money, and the largest cap on
 * output tokens that would fit. Any other error is returned unchanged.
 *
 * @see section 7C, `insufficient_balance`
 */
export function explainBalance(error: ServiceError, request: RefusedRequest): ServiceError {
	if (!isBalanceTooSmall(error)) return error;
	const { body, own, model, others } = request;
	const { meta = {} } = error.details;
	const largest = maximumAffordableOutput(meta, model?.pricing, body, own);
	// nothing is small enough for an empty one
	const advice = isBalanceEmpty(error) ? undefined : outputCapAdvice(largest);
	return withBalance(error, others, advice, omitMissing({ largestMaximumOutputTokens: largest }));
}

/**
 * The same for the start of a media job, which holds the job's cost, plus a margin for a new configuration.
 *
 * @param leastMicroUsd The minimum cost of the job according to the catalog, if known.
 * @param others Other requests of the same account that this n8n process had in flight.
 * @see section 8, cost rule 4
 */
export function explainJobBalance(
	error: ServiceError,
	{ leastMicroUsd, others }: { leastMicroUsd: Decimal | undefined; others: number },
): ServiceError {
	if (!isBalanceTooSmall(error)) return error;
	const least = formatUsd(leastMicroUsd);
	const minimumSentence =
		least === undefined ? '' : ` According to the catalog it costs at least ${least}.`;
	const advice = `At the first start of a configuration, such as a new model or a first 4K clip, the service wants more than the job costs. Later starts need less.${minimumSentence}`;
	return withBalance(error, others, advice, omitMissing({ leastCostUsd: least }));
}

/**
 * Says that a job that was refused has no text. The specification does not say which models need one, so that is known only then.
 *
 * @param body Of the start.
 */
export function explainMissingText(error: ServiceError, body: JsonObject): ServiceError {
	const { kind, message, details } = error;
	// whatever has advice of its own is wrong for another reason
	const isOther = !isBadRequest(error) || details.advice !== undefined;
	if (isOther || findTextField(body) !== undefined) return error;
	return new ServiceError(kind, `Prompt is empty. ${message}`, {
		...details,
		advice:
			'Enter in Prompt what to make, or for speech, the text to read aloud. If the model takes its text from another field, enter it in Additional Parameters (JSON).',
	});
}

/** @param computed What was calculated besides the router's figures. */
function withBalance(
	error: ServiceError,
	others: number,
	remedy: string | undefined,
	computed: object,
) {
	const { meta } = error.details;
	const figures = formatFigures(error, {
		requiredUsd: 'required_micro_usd',
		balanceUsd: 'balance_micro_usd',
		heldUsd: 'held_micro_usd',
	});
	const held = heldBalanceAdvice(meta?.['held_micro_usd'], others);
	return withDetails(error, {
		advice: joinSentences(error.details.advice, held, remedy),
		computed: { ...Object.fromEntries(figures), ...computed, ownRequestsUnderWay: others },
	});
}

function heldBalanceAdvice(held: unknown, others: number): string | undefined {
	if (!readInteger(held)?.gt(0)) return undefined;
	if (!others)
		return 'The held amount belongs to unfinished media jobs, or to requests from outside this n8n process.';
	const requests =
		others === 1 ? 'One more of your own requests is' : `${others} more of your own requests are`;
	return `${requests} under way in this n8n and ${others === 1 ? 'holds' : 'hold'} money. Lower "Max Items at Once" in Request Settings, or send this one later.`;
}

function outputCapAdvice(largest: number | undefined): string {
	if (largest === undefined) return 'A lower "Maximum Output Tokens" needs less.';
	return largest
		? `The largest "Maximum Output Tokens" that fits now is ${largest}.`
		: 'Not even one output token fits: lowering "Maximum Output Tokens" does not help.';
}
