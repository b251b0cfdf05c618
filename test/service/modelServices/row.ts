/** An answer of a service as data. Its texts may hold `{model}`, `{key}`, … (see `fill.ts`). */
export interface Stated {
	status: number;
	/** A text is sent as it is, anything else as JSON. */
	body: unknown;
	/** Content type; that of JSON or of plain text where absent. */
	type?: string;
	/** Where this answer was documented or recorded. */
	source: string;
}

/** A header that takes the key. */
export interface KeyPlace {
	header: string;
	/** What stands before the key, such as `Bearer `. */
	prefix: string;
}

/** A field that some models of a service refuse. */
export interface Refusal extends Stated {
	field: string;
	models: readonly string[];
	/** What is not above this is taken. */
	above?: number;
}

/** A field that a service does not take, as it was sent. */
export interface Refused {
	field: string;
	value: unknown;
}

/** A service that refuses each field of the request's top level that it does not know. */
export interface Strict {
	takes: readonly string[];
	status: number;
	body: (refused: readonly [Refused, ...Refused[]]) => unknown;
	source: string;
}

/** What a service answers when it does not do the work; absent where no record of it was found. */
export interface Errors {
	wrongKey?: Stated;
	/** The answer to a wrong key at the other paths, where it differs from that of chats. */
	wrongKeyElsewhere?: Stated;
	/** A header of `elsewhere.needs` is missing. */
	missingHeader?: Stated;
	unknownModel?: Stated;
	unknownPath?: Stated;
	/** An empty balance, a used up quota: all forms that are known, the newest first. */
	broke: readonly Stated[];
	/** No provider is cheap enough for `provider.max_price`. */
	maxPrice?: Stated;
	/** How the list of models fails although the key is right. */
	catalogFails?: Stated;
}

/** When the tokens of a streamed answer are told. */
export type StreamUsage =
	/** Always. */
	| 'always'
	/** Where the request has `stream_options.include_usage`. */
	| 'asked'
	/** The same, and without it in `x_groq.usage`. */
	| 'asked or in x_groq';

/** One service that people have: what it takes, what it refuses, what it answers. */
export interface Row {
	name: string;
	/** What a user copies from the documentation as the base URL: its path. */
	base: string;
	/** The path of chat completions. */
	chat: string;
	/** The path of the list of models; absent where there is none. */
	models?: string;
	/** The headers that take the key; none where the server asks for no key. */
	keys: readonly KeyPlace[];
	/** What the GET paths take, where it differs: headers of the key, and headers that must be there. */
	elsewhere?: { keys: readonly KeyPlace[]; needs: readonly string[] };
	/** GET paths that are answered without a key. */
	open: readonly string[];
	/** A GET path that costs nothing and needs the right key; absent where none is known. */
	proof?: string;
	/** The bodies of all GET paths. */
	gets: Readonly<Record<string, unknown>>;
	/** Whether the list of models fails, as `errors.catalogFails` says; for `breakWith`. */
	catalogIsDown?: boolean;
	/** The models that answer; the first is the one to ask. */
	answering: readonly [string, ...string[]];
	/** The names of these models in answers, where they differ. */
	answersAs?: Readonly<Record<string, string>>;
	/** Named in place of the model that was asked for by `[[other-model]]`. */
	otherModel: string;
	streamUsage: StreamUsage;
	/** Whether the tokens come with the last piece of text or after it. */
	usagePlace: 'with the last choice' | 'in a chunk of its own';
	/** The tokens, and what the service says that they cost. */
	usage: Readonly<Record<string, unknown>>;
	/** What it answers in the demo. */
	says?: (fields: Readonly<Record<string, unknown>>) => string | undefined;
	/** Further forms of `usage`, each answered to a message with its name in `[[…]]`. */
	usages?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	/** Headers of answers that are not streamed. */
	wholeHeaders?: Readonly<Record<string, string>>;
	strict?: Strict;
	refuses: readonly Refusal[];
	/** Fields that are taken and have no effect. */
	ignores: readonly string[];
	errors: Errors;
	/** Where each of the other claims comes from. */
	sources: Readonly<Record<string, string>>;
}

export const BEARER: KeyPlace = { header: 'authorization', prefix: 'Bearer ' };

/** The addresses of OpenAI, which most services have. */
export const V1 = { base: '/v1', chat: '/v1/chat/completions', models: '/v1/models' };

/** One thousand tokens in, one hundred out. */
export const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

/** Recorded requests and answers of many services. */
export const RECORDED = 'github.com/maruel/genai (2026-08), recordings in providers';

/** Recorded streams whose requests did not ask for tokens. */
export const UNASKED = `${RECORDED}/openaicompatible: GenStream_simple`;

/** An entry of OpenAI's list of models. */
export const plainModel = (id: string, ownedBy: string) => ({
	id,
	object: 'model',
	created: 1754587407,
	owned_by: ownedBy,
});

/** The fields of OpenAI's chat completions. */
export const OPENAI_FIELDS = [
	'audio',
	'frequency_penalty',
	'function_call',
	'functions',
	'logit_bias',
	'logprobs',
	'max_completion_tokens',
	'max_tokens',
	'messages',
	'metadata',
	'modalities',
	'model',
	'moderation',
	'n',
	'parallel_tool_calls',
	'prediction',
	'presence_penalty',
	'prompt_cache_key',
	'prompt_cache_retention',
	'reasoning_effort',
	'response_format',
	'safety_identifier',
	'seed',
	'service_tier',
	'stop',
	'store',
	'stream',
	'stream_options',
	'temperature',
	'tool_choice',
	'tools',
	'top_logprobs',
	'top_p',
	'user',
	'verbosity',
	'web_search_options',
] as const;
