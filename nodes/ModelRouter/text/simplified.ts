import type { ChatMessage } from '../../../src/router/messages';
import type { TextAnswer, TextChoice, ToolCall } from '../../../src/router/textAnswer';

/** An answer without what only the protocol needs. */
export function simplified(answer: TextAnswer): object {
	const { text, toolCalls, choices, ...rest } = answer;
	return {
		output: text,
		...rest,
		...(toolCalls.length && { toolCalls: toolCalls.map(readable), message: messageOf(answer) }),
		...(choices && { choices: choices.map(simplifiedChoice) }),
	};
}

function simplifiedChoice({ text, toolCalls, ...rest }: TextChoice): object {
	return { output: text, ...rest, ...(toolCalls.length && { toolCalls: toolCalls.map(readable) }) };
}

/** n8n's expressions refuse to read a field called "arguments": what is in it is in "input", too. */
const readable = (call: ToolCall) => ({ ...call, input: call.arguments });

/** What the model said, as a message that goes before the results of its tools in the next request. */
function messageOf({ text, toolCalls }: TextAnswer): ChatMessage {
	const calls = toolCalls.map(({ id, name, arguments: given }) => ({
		id,
		type: 'function',
		function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
	}));
	return { role: 'assistant', content: text || null, tool_calls: calls };
}

export const requestIdOf = ({ requestId }: { requestId?: string }) =>
	requestId ? { requestId } : {};
