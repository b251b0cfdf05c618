import { isBadRequest, mapServiceError } from '../core/errors';
import type { Http } from '../core/http';
import type { LimitField } from './outputLimits';
import { DEFAULT_OUTPUT_TOKENS } from './pricing';

/** Maxima of output tokens that are asked for where the service does not take the one that we have chosen. */
const LOWER = [DEFAULT_OUTPUT_TOKENS, 1024];

/**
 * What a refusal for the number says, of the model or of what is left of its context window.
 *
 * @see deepseek-ai/DeepSeek-V3#69, stepfun-ai/Step-Audio-R1#3 and vllm-project/vllm#20409 (vLLM), langchain-ai/langchain#24058
 */
const ABOUT_NUMBER =
	/(\bmax[ _]?((completion|new|output)_)?tokens|\bmaxOutputTokens|\bin the completion)\b[^]*?\d{3}|\d{3} in the completion/i;

/**
 * Asks for fewer output tokens where the service refuses the maximum that nobody but us has set. Such a refusal has started nothing, and the
 * bound holds for less.
 *
 * @param send Throws ServiceError.
 */
export async function withLowerLimit<
	Body extends Record<string, unknown> & { model: string },
	Answer,
>(
	{ serviceFacts }: Http,
	body: Body,
	own: LimitField,
	send: (body: Body) => Promise<Answer>,
): Promise<Answer> {
	const fact = `takes fewer tokens ${body.model}`;
	const wanted = Number(body[own]);
	let limit = serviceFacts?.has(fact) ? Math.min(DEFAULT_OUTPUT_TOKENS, wanted) : wanted;
	for (;;) {
		try {
			const answer = await send({ ...body, [own]: limit });
			// what is lower may be so because of the prompt
			if (limit === DEFAULT_OUTPUT_TOKENS && limit < wanted) serviceFacts?.set(fact, 'true');
			return answer;
		} catch (cause) {
			const lower = LOWER.find((one) => one < limit);
			const isMeant = isBadRequest(cause) && ABOUT_NUMBER.test(cause.details.reason ?? '');
			if (lower === undefined || !isMeant) throw mapServiceError(cause);
			limit = lower;
		}
	}
}
