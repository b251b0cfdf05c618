import type { Template } from './server';

/** As openai 7.57.0 has it. */
export const approvalOfMcp = (decision: Record<string, Template>) => ({
	type: 'mcp_approval_response',
	approval_request_id: '{task}',
	...decision,
});

/** The words before it differ. */
const NO_RESPONSE = "with id 'resp";

/**
 * What is said where a response is gone. OpenAI keeps one for 30 days, and answers with status 400.
 *
 * @see dotnet/extensions#7704, maximhq/bifrost#2441 (OpenAI); _make_not_found_error of vLLM and SGLang, which LiteLLM passes on
 */
export const GONE_RESPONSE = {
	previous_response_not_found: '',
	invalid_request_error: NO_RESPONSE,
	'400': NO_RESPONSE,
	'404': NO_RESPONSE,
};
