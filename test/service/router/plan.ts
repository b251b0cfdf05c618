import { directivesOf, numberIn, wordsOf } from '../directives.ts';
import { manyWords } from '../memory.ts';
import { isFields, type Fields } from '../call.ts';
import { exampleOf } from './example.ts';
import { shownText, type Shown } from './parts.ts';

/** What the deterministic model is asked, taken from either protocol. */
export interface Ask {
	/** Text of the last user message. */
	message: string;
	/** All text of the prompt. */
	prompt: string;
	/** What came with the last user message beside its text. */
	shown: Shown;
	/** Answer of a tool, when that is the last message. */
	toolResult?: string | undefined;
	maxTokens?: number | undefined;
	effort?: string | undefined;
	reasoning: boolean;
	tools: Fields[];
	toolChoice: unknown;
	/** A JSON schema the answer is to fit. */
	schema?: unknown;
	jsonObject: boolean;
}

export interface ToolCall {
	id: string;
	name: string;
	arguments: string;
}

/** What the model answers. A token is a word. */
export interface Plan {
	words: string[];
	tool?: ToolCall;
	finish: 'stop' | 'length' | 'tool_calls' | 'content_filter';
	promptTokens: number;
	/** The part of the prompt that was cached; undefined when nothing is said of it. */
	cachedTokens?: number | undefined;
	toolTokens: number;
	reasoningTokens: number;
	/** Section 3: the backend fails after so many words. */
	breaksAfter?: number | undefined;
	/** The response ends as failed. */
	fails: boolean;
}

const REASONING: Record<string, number> = { minimal: 16, low: 64, medium: 256, high: 1024 };

export function planAnswer(ask: Ask): Plan {
	const directives = directivesOf(ask.message);
	const reasoning = ask.reasoning ? (REASONING[ask.effort ?? 'medium'] ?? 256) : 0;
	const cap = ask.maxTokens ?? Infinity;
	const room = Math.max(0, cap - reasoning);
	const wanted = toolCall(ask, directives);
	const toolTokens = wanted ? Math.ceil(wanted.arguments.length / 4) + 1 : 0;
	const tool = toolTokens > room ? undefined : wanted;
	const all = wanted ? [] : wordsOf(answerOf(ask, directives));
	const cut = wanted !== tool || reasoning > cap;
	const filtered = directives.get('finish') === 'content_filter';
	const words = all.slice(0, filtered ? Math.min(3, room) : room);
	const finish = filtered ? 'content_filter' : tool ? 'tool_calls' : 'stop';
	const promptTokens = wordsOf(ask.prompt).length;
	return {
		words,
		...(tool && { tool }),
		// section 8: reasoning counts against the cap, so a small cap may leave no word at all
		finish: !filtered && (cut || words.length < all.length) ? 'length' : finish,
		promptTokens,
		cachedTokens: cachedIn(directives, promptTokens),
		toolTokens: tool ? toolTokens : 0,
		reasoningTokens: Math.min(reasoning, cap),
		breaksAfter: numberIn(directives, 'break'),
		fails: directives.has('failed'),
	};
}

/** `[[cached:N]]`: at most all of the prompt. */
function cachedIn(directives: Map<string, string>, promptTokens: number): number | undefined {
	const cached = numberIn(directives, 'cached');
	return cached === undefined ? undefined : Math.min(Math.max(0, Math.floor(cached)), promptTokens);
}

function answerOf(ask: Ask, directives: Map<string, string>): string {
	if (ask.schema !== undefined) return JSON.stringify(exampleOf(ask.schema, ask.message));
	if (ask.jsonObject) return JSON.stringify({ you_said: ask.message });
	const words = numberIn(directives, 'words') ?? numberIn(directives, 'events');
	if (words !== undefined) return manyWords(words);
	if (directives.has('say')) return directives.get('say') ?? '';
	if (ask.toolResult !== undefined) return `The tool said: ${ask.toolResult}`;
	return `You said: "${ask.message}".${shownText(ask.shown)}`;
}

/** The tool that the message (`[[tool:name]]`) or `tool_choice` asks for. */
function toolCall(ask: Ask, directives: Map<string, string>): ToolCall | undefined {
	const tools = ask.tools.map((tool) => (isFields(tool.function) ? tool.function : tool));
	if (!tools.length || ask.toolChoice === 'none' || ask.toolResult !== undefined) return undefined;
	const choice = isFields(ask.toolChoice) ? ask.toolChoice : {};
	const chosen = isFields(choice.function) ? choice.function.name : choice.name;
	const wanted = directives.get('tool') ?? chosen;
	const found =
		tools.find((tool) => tool.name === wanted) ??
		(directives.has('tool') || ask.toolChoice === 'required' ? tools[0] : undefined);
	if (!found) return undefined;
	const given = exampleOf(found.parameters ?? { type: 'object' }, ask.message);
	return { id: 'call_1', name: String(found.name), arguments: JSON.stringify(given) };
}
