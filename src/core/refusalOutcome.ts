import type { ServiceErrorDetails } from './errors';
import { isPlainObject, type JsonObject, tryParseJson } from './json';

/**
 * What a refusal says of an answer that was made. Portkey: a guardrail after the request keeps back one that is paid. OpenAI and Azure: thinking
 * has used up the maximum. Groq: what the model wrote is no call of a tool. Anthropic and Alibaba: its answer was filtered. xAI charges for what
 * violates its guidelines.
 *
 * @see https://portkey.ai/docs/product/guardrails, Portkey-AI/gateway#1740
 * @see decolua/9router#972 (Azure), vercel/ai#6916 and HunorLaczko/ha-groq-cloud-api#20 (Groq), anthropics/claude-code#58367,
 *   langgenius/dify-official-plugins#1651 (Alibaba)
 * @see https://docs.x.ai/developers/pricing (Usage Guidelines Violation Fee), UKGovernmentBEIS/inspect_ai#2267
 */
export function readOutcome(status: number, body: string): Pick<ServiceErrorDetails, 'outcome'> {
	if (HAS_RUN.test(body)) return { outcome: 'started' };
	const hooks = Object(Object(tryParseJson(body)).hook_results) as JsonObject;
	const hasRefused = (name: string) =>
		[hooks[name]].flat().some((hook) => isPlainObject(hook) && hook['verdict'] === false);
	if (hasRefused('after_request_hooks')) return { outcome: 'started' };
	return status === 446 && hasRefused('before_request_hooks') ? { outcome: 'not_started' } : {};
}

const HAS_RUN =
	/could not finish the message because|\bfailed_generation\b|\btool_use_failed\b|\boutput (blocked by content|data may contain)|violates usage guidelines/i;
