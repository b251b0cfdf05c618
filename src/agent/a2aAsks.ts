import type { Condition, Path } from './dialect';
import type { Ask, Template } from './server';

/** A version of A2A over JSON-RPC. */
interface Version {
	/** The method that streams, and the one that does not. */
	methods: readonly [string, string];
	headers?: Ask['headers'];
	/** The text as a message, without its IDs. */
	message: Record<string, Template>;
	configuration?: Record<string, Template>;
}

const A2A_1: Version = {
	methods: ['SendStreamingMessage', 'SendMessage'],
	headers: { 'A2A-Version': '1.0' },
	message: { role: 'ROLE_USER', parts: [{ text: '{message}' }] },
};
const A2A_0: Version = {
	methods: ['message/stream', 'message/send'],
	message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text: '{message}' }] },
	configuration: { blocking: true },
};

/**
 * The ways to ask by a version, where a card has its address at this place.
 *
 * @param more What else the card has to have.
 */
function waysOf(version: Version, inCard: Path, more: Condition = {}): Ask[] {
	const { methods, message, headers, configuration = {} } = version;
	const ids = { messageId: '{id}', contextId: '{chat}|{session}', taskId: '{task}' };
	const params = { tenant: '{tenant}', message: { ...message, ...ids }, configuration };
	const hasUrl = { [inCard ? `${inCard}.url` : 'url']: '*', ...more };
	return methods.map((method, index) => ({
		path: '',
		headers,
		body: { jsonrpc: '2.0', id: '{id}', method, params },
		ifCard: index ? hasUrl : { ...hasUrl, 'capabilities.streaming': true },
		inCard,
	}));
}

// of the packages, some compare without regard to letters (aegra/aegra#625)
const JSON_RPC = 'supportedInterfaces[protocolBinding=JSONRPC|jsonrpc]';

/**
 * Codes of JSON-RPC: no JSON, no request, no such method, wrong parameters; and of A2A: no such task, a type of content, an extension or a
 * version that it does not have. Not among them: -32004, an operation that is not supported, which @a2a-js/sdk 1.3.0 also says of the first
 * event of an agent that has run (`_advanceStreamPattern`), -32006, a wrong answer of the agent, and -32603.
 */
export const NOT_TAKEN = [-32700, -32600, -32601, -32602, -32001, -32005, -32008, -32009];

/** States of a task: in 0.3, and in 1.0. */
export const states = (...names: string[]) =>
	names.flatMap((name) => [name, `TASK_STATE_${name.replace('-', '_').toUpperCase()}`]);

/** The ways to ask an agent of A2A. The first that its card has is used. */
export const A2A_ASKS: readonly Ask[] = [
	...waysOf(A2A_1, `${JSON_RPC}[protocolVersion=1|1.0|1.0.0]`),
	...waysOf(A2A_0, `${JSON_RPC}[protocolVersion=0.3|0.3.0]`),
	...waysOf(A2A_0, 'additionalInterfaces[transport=JSONRPC|jsonrpc]'),
	...waysOf(A2A_0, '', { preferredTransport: ['JSONRPC', 'jsonrpc'] }),
	// JSON-RPC is what is meant where a card does not say it
	...waysOf(A2A_0, '', { preferredTransport: null }),
];
