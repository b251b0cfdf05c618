import type { ServiceErrorDetails } from './errors';

/**
 * Whether a refusal says that the money of the account, of the key or of a model is used up: waiting does not help, and nothing was done.
 * 402 always says that. Other statuses do so by their code, or by the sentence of a vendor that has no code for it.
 *
 * @see https://platform.openai.com/docs/guides/error-codes (429 insufficient_quota; 400 billing_hard_limit_reached)
 * @see https://docs.litellm.ai/docs/proxy/users (400 and 429 budget_exceeded, 401 of a user), BerriAI/litellm#14144
 * @see QuantumNous/new-api (403 insufficient_user_quota), Moonshot (429 exceeded_current_quota_error), Alibaba (400 Arrearage)
 * @see anthropics/claude-code#66314, vellum-ai/vellum-assistant#38275 (OpenRouter), Anantys-oss/koan#2412, continuedev/continue#12670 and
 *   Wei-Shaw/sub2api#4069 (xAI, 403), Helicone (429), pollinations/pollinations (Fireworks, 412), vercel/ai#9290 and langgenius/dify#5850
 *   (Z.ai, 429, where the code is a number), zebbern/no-cost-ai#24 (DeepInfra), and the error
 *   pages of Novita, SiliconFlow, Anthropic and Gemini: the sentences
 */
export const isUsedUp = ({ status = 0, code = '', reason = '' }: ServiceErrorDetails): boolean =>
	[400, 401, 403, 412, 429].includes(status) &&
	((USED_UP_CODE.test(code) && !RATE_CODE.test(code) && !RATE_REASON.test(reason)) ||
		USED_UP_REASON.test(reason));

const USED_UP_CODE = /quota|credit|balance|budget|billing|insufficient_?funds|arrear/i;
/**
 * Alibaba: Throttling.RateQuota, and a page about tokens per minute (anomalyco/opencode#23722). Others count per minute. Cerebras calls its limits of time quotas: `request_quota_exceeded`, with "Requests
 * per minute limit exceeded".
 *
 * @see nminaya/grammar-nazi-bot#958, anomalyco/opencode#7463
 */
const RATE_CODE = /throttl|rate|(requests?|tokens?)_quota|per_?(minute|second)/i;
const RATE_REASON = /\bper (minute|second|hour)\b|error-code#token-limit/i;
const USED_UP_REASON =
	/credit balance is too low|\bkey limit exceeded|budget has been exceeded|insufficient credits|monthly spending (limit|cap)|specified API usage limits|doesn't have any credits|run out of credits|(insufficient|not enough) (account )?balance|balance is insufficient|need positive balance|欠费/i;

/**
 * Whether a request alone asks for more tokens than the account may use in a minute, so that it never fits: OpenAI (429: vanna-ai/vanna-flask#11,
 * continuedev/continue#10602), Groq (413: HunorLaczko/ha-groq-cloud-api#27).
 */
export const isTooLarge = ({ status = 0, reason = '' }: ServiceErrorDetails): boolean =>
	[413, 429].includes(status) &&
	/request too large for[^]{0,300}\btokens[^]{0,40}\bper (min|day)/i.test(reason);

/** What to do about it. */
export const USED_UP_ADVICE =
	"The money for it is used up: the balance, or a limit of the account, the key or the model. Waiting does not help. Top up, or raise the limit, at the service or at the model's vendor.";
