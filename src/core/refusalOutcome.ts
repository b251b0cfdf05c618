import type { ServiceErrorDetails } from './errors';
import { isPlainObject, type JsonObject, tryParseJson } from './json';

/**
 * What a refusal says of an answer that was made. Portkey: a guardrail after the request keeps back one that is paid. OpenAI and Azure: thinking
 * has used up the maximum. Groq: what the model wrote is no call of a tool.
 *
 * @see https://portkey.ai/docs/product/guardrails, Portkey-AI/gateway#1740
 * @see decolua/9router#972 (Azure), vercel/ai#6916 and groq/groq-typescript#28 (Groq)
 */
export function readOutcome(status: number, body: string): Pick<ServiceErrorDetails, 'outcome'> {
	if (HAS_RUN.test(body)) return { outcome: 'started' };
	const hooks = Object(Object(tryParseJson(body)).hook_results) as JsonObject;
	const hasRefused = (name: string) =>
		[hooks[name]].flat().some((hook) => isPlainObject(hook) && hook['verdict'] === false);
	if (hasRefused('after_request_hooks')) return { outcome: 'started' };
	return status === 446 && hasRefused('before_request_hooks') ? { outcome: 'not_started' } : {};
}

const HAS_RUN = /could not finish the message because|\bfailed_generation\b/i;
