import { mapServiceError, isBadRequest } from '../core/errors';
import type { Http } from '../core/http';
import { isTooLarge } from '../core/usedUp';
import type { LimitField } from './outputLimits';
import { DEFAULT_OUTPUT_TOKENS } from './pricing';

type Fields = Readonly<Record<string, unknown>>;

/** A field of a chat request that we add, or name, ourselves. */
interface OwnField {
	name: string;
	/** Whether the text of a refusal means it. */
	isMeant(text: string, body: Fields): boolean;
	/** What is sent in its place. */
	instead(value: unknown): object;
	/** Whether it depends on the rest of the request, so that it is not remembered. */
	isOfRequest?: true;
}

/** Each with who refuses it, and where that is recorded. */
const OWN_FIELDS: readonly OwnField[] = [
	// Mistral: openai/openai-agents-python#442, BerriAI/litellm#8978; Bedrock behind Databricks: anomalyco/opencode#4698, BerriAI/litellm#9916
	{
		name: 'stream_options',
		isMeant: (text) => /\b(stream_options|include_usage)\b/.test(text),
		instead: () => ({}),
	},
	// OpenAI: charmbracelet/crush#1216, continuedev/continue#8209 (organizations that are not verified)
	{
		name: 'stream',
		isMeant: (text) => /\bverified to stream\b/.test(text),
		instead: () => ({ stream_options: undefined }),
	},
	// Cloudflare, for a JSON schema: cloudflare/agents#1685
	{
		name: 'stream',
		isMeant: (text) => /not supported with stream mode/.test(text),
		instead: () => ({ stream_options: undefined }),
		isOfRequest: true,
	},
	// https://platform.openai.com/docs/api-reference/chat/create (of newer models)
	{
		name: 'max_tokens',
		// "max_tokens is too large" is about its value; and a request that has both may be refused for the other one
		isMeant: (text, { max_completion_tokens: other }) =>
			/\bmax_completion_tokens\b/.test(text) &&
			(other === undefined || /\bmax_tokens\b/.test(text)),
		instead: (limit) => ({ max_completion_tokens: limit }),
	},
];

/** What asks for the token counts of a stream. The specified router always tells them. */
export const ASK_FOR_USAGE = { stream_options: { include_usage: true } };

/**
 * Leaves out what a service refuses of the fields that we add, or name, ourselves. Such a refusal has started nothing. It is remembered for
 * the service and the model once a request without the field is answered: a text that names it may be about something else.
 *
 * @param send Throws ServiceError.
 */
export async function withOwnFields<Body extends { model: string }, Answer>(
	http: Http,
	request: Body,
	send: (body: Body) => Promise<Answer>,
): Promise<Answer> {
	const { serviceFacts } = http;
	const factOf = ({ name }: OwnField) => `refuses ${name} ${request.model}`;
	const isLeftOut = (field: OwnField) => serviceFacts?.has(factOf(field)) === true;
	let body = OWN_FIELDS.filter(isLeftOut).reduce(leaveOut, request);
	const refused: OwnField[] = [];
	for (;;) {
		try {
			const answer = await send(body);
			for (const field of refused) if (!field.isOfRequest) serviceFacts?.set(factOf(field), 'true');
			return answer;
		} catch (cause) {
			const field = OWN_FIELDS.find((one) => isRefused(cause, one, body));
			if (!field) throw mapServiceError(cause);
			body = leaveOut(body, field);
			refused.push(field);
		}
	}
}

/** @returns the same request if it does not have the field. */
function leaveOut<Body extends object>(body: Body, { name, instead }: OwnField): Body {
	const value = (body as Fields)[name];
	return value === undefined ? body : { ...body, [name]: undefined, ...instead(value) };
}

/** Whether a request that has the field was refused, and so not carried out, for it. */
function isRefused(cause: unknown, { name, isMeant }: OwnField, body: object): boolean {
	if (!isBadRequest(cause)) return false;
	const { reason = '', code = '' } = cause.details;
	const fields = body as Fields;
	return fields[name] !== undefined && isMeant(`${code} ${reason}`, fields);
}

/** Maxima of output tokens that are asked for where the service does not take the one that we have chosen. */
const LOWER = [DEFAULT_OUTPUT_TOKENS, 1024];

/**
 * What a refusal for the number says: of the model, of what is left of its context window, or, at Groq and OpenAI, of the tokens per minute.
 *
 * @see deepseek-ai/DeepSeek-V3#69, stepfun-ai/Step-Audio-R1#3 and vllm-project/vllm#20409 (vLLM), langchain-ai/langchain#24058
 * @see MoonshotAI/MoonshotAI-Cookbook#18, zeeyado/koassistant.koplugin#106 and HunorLaczko/ha-groq-cloud-api#27 (Groq, 413), sgl-project/sglang (tokenizer_manager.py)
 * @see https://developers.cloudflare.com/workers-ai/platform/errors (413), https://docs.aws.amazon.com/nova/latest/userguide
 */
const ABOUT_NUMBER =
	/(\b(max|maximum)[ _]?((completion|new|output)[ _])?tokens|\bmaxOutputTokens|\bin the completion|\bmodel max length exceeded|\btokens per min(ute)?)\b[^]*?\d{3}|\d{3} (in the completion|output tokens|tokens for the completion)/i;

/** It says what is left beside this prompt, or in this minute. */
const ABOUT_PROMPT = /context|messages|prompt|inputs|per min|max length exceeded/i;
/** And how long the window is, at vLLM, OpenAI, SGLang, TGI and Moonshot. */
const WINDOW = /(?:context length (?:is|of) |must be <= |max length:\s*)(\d{3,9})/;

/** The words of a refusal for the number; empty for any other failure, such as too many requests. */
function reasonOfNumber(cause: unknown): string {
	if (!isBadRequest(cause, 413, 429)) return '';
	const { status, reason = '' } = cause.details;
	const isBusy = status === 429 && !isTooLarge(cause.details);
	return !isBusy && ABOUT_NUMBER.test(reason) ? reason : '';
}

/**
 * Asks for fewer output tokens where the service refuses the maximum that nobody but us has set. Such a refusal has started nothing, and the
 * bound holds for less.
 *
 * @param send Throws ServiceError.
 * @returns the answer with the maximum that was taken.
 */
export async function withLowerLimit<
	Body extends Record<string, unknown> & { model: string },
	Answer extends object,
>(
	{ serviceFacts }: Http,
	body: Body,
	own: LimitField,
	send: (body: Body) => Promise<Answer>,
): Promise<Answer & { maxTokens: number }> {
	const fact = `takes fewer tokens ${body.model}`;
	const wanted = Number(body[own]);
	let limit = serviceFacts?.has(fact) ? Math.min(DEFAULT_OUTPUT_TOKENS, wanted) : wanted;
	let isOfModel = false;
	for (;;) {
		try {
			const answer = await send({ ...body, [own]: limit });
			// what is lower may be so because of the prompt
			if (limit === DEFAULT_OUTPUT_TOKENS && isOfModel) serviceFacts?.set(fact, 'true');
			return { ...answer, maxTokens: limit };
		} catch (cause) {
			const lower = LOWER.find((one) => one < limit);
			const reason = reasonOfNumber(cause);
			if (lower === undefined || !reason) throw mapServiceError(cause);
			// into a window that is not longer than what was asked for, it never fits
			isOfModel = !ABOUT_PROMPT.test(reason) || Number(WINDOW.exec(reason)?.[1]) <= wanted;
			limit = lower;
		}
	}
}
