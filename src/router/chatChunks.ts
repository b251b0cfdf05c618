import { findAnswerText } from '../service/answerText';
import { isObject, tryParseJson } from '../service/json';

export interface ChatAnswer {
	text: string;
	/** As the router names it; the requested name when it names none. */
	model: string;
	/** `stop`, `length` (cut off by the token cap), `tool_calls`, `content_filter`; absent when none came. */
	finishReason?: string;
	/** Token counts as the model reported them; `completion_tokens` includes hidden reasoning. Absent when none came. */
	usage?: Record<string, unknown>;
	/** Calls that the model asks for, whole. */
	toolCalls: ChatToolCall[];
	requestId?: string;
}

export interface ChatToolCall {
	id: string;
	name: string;
	/** Parsed where it is valid JSON, otherwise the text that the model wrote. */
	arguments: unknown;
}

/** Puts one answer together from the chunks of a streamed chat completion. Only the first choice is read. */
export function joinChunks(requestedModel: string) {
	const pieces: string[] = [];
	const calls = new Map<number, { id: string; name: string; arguments: string }>();
	const answer: Omit<ChatAnswer, 'text' | 'toolCalls'> = { model: requestedModel };

	/** A call comes in fragments: its id and name first, then its arguments bit by bit. */
	function takeCall(fragment: unknown, position: number) {
		if (!isObject(fragment)) return;
		const index = typeof fragment['index'] === 'number' ? fragment['index'] : position;
		const call = calls.get(index) ?? { id: '', name: '', arguments: '' };
		const said = isObject(fragment['function']) ? fragment['function'] : {};
		if (typeof fragment['id'] === 'string') call.id ||= fragment['id'];
		if (typeof said['name'] === 'string') call.name ||= said['name'];
		if (typeof said['arguments'] === 'string') call.arguments += said['arguments'];
		else if (isObject(said['arguments'])) call.arguments = JSON.stringify(said['arguments']);
		calls.set(index, call);
	}

	return {
		/** @returns the text that this chunk adds. */
		take(chunk: Record<string, unknown>): string {
			if (typeof chunk['model'] === 'string' && chunk['model']) answer.model = chunk['model'];
			if (isObject(chunk['usage'])) answer.usage = chunk['usage'];
			const [choice] = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
			if (!isObject(choice) || (choice['index'] ?? 0) !== 0) return '';
			if (typeof choice['finish_reason'] === 'string')
				answer.finishReason = choice['finish_reason'];
			const delta = isObject(choice['delta']) ? choice['delta'] : {};
			if (Array.isArray(delta['tool_calls'])) delta['tool_calls'].forEach(takeCall);
			const content = delta['content'];
			const text =
				typeof content === 'string'
					? content
					: (Array.isArray(content) && findAnswerText(content)) || '';
			pieces.push(text);
			return text;
		},
		answer(): ChatAnswer {
			const toolCalls = [...calls.values()].map((call) => ({
				...call,
				arguments: tryParseJson(call.arguments) ?? call.arguments,
			}));
			return { ...answer, text: pieces.join(''), toolCalls };
		},
	};
}
