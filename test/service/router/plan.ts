import { directivesOf, numberIn, wordsOf, manyWords } from '../directives.ts';
import { answerOf, markOf, refusalOf } from './answerText.ts';
import type { Ask } from './ask.ts';
import type { Thought } from './thinking.ts';
import { tokensOf, toolCalls, type ToolCall } from './toolCalls.ts';

/** One of the answers. A token is a word. */
export interface Choice {
	/** Hidden tokens that are shown all the same, before the words. */
	thoughts: string[];
	words: string[];
	/** Whether the words are those of a refusal. */
	refuses: boolean;
	tools: ToolCall[];
	toolTokens: number;
	/** What a thinking model gives beside its calls. */
	thought?: Thought;
	finish: 'stop' | 'length' | 'tool_calls';
}

/** What the model answers. */
export interface Plan {
	choices: [Choice, ...Choice[]];
	promptTokens: number;
	/** The part of the prompt that was cached; undefined when nothing is said of it. */
	cachedTokens?: number | undefined;
	/** Hidden tokens of each choice. */
	reasoningTokens: number;
	/** Section 3: the backend fails after so many words, or fragments of tool calls. */
	breaksAfter?: number | undefined;
}

const REASONING: Record<string, number> = { minimal: 16, low: 64, medium: 256, high: 1024 };

/** @param count How many choices are asked for. */
export function planAnswer(ask: Ask, count = 1): Plan {
	const directives = directivesOf(ask.message);
	const hidden = ask.reasoning ? (REASONING[ask.effort ?? 'medium'] ?? 256) : 0;
	const thinks = wholeIn(directives, 'thinks') ?? 0;
	const reasoning = Math.max(hidden, thinks);
	const promptTokens = wordsOf(ask.prompt).length;
	const cached = wholeIn(directives, 'cached');
	const cap = ask.maxTokens ?? Infinity;
	const choice = (index: number) => ({
		thoughts: thoughtsOf(Math.min(thinks, cap), index),
		// section 8: reasoning counts against the cap, so a small cap may leave no word at all
		...planChoice(ask, directives, index, cap - reasoning),
	});
	return {
		choices: [choice(0), ...Array.from({ length: count - 1 }, (_, index) => choice(index + 1))],
		promptTokens,
		cachedTokens: cached === undefined ? undefined : Math.min(cached, promptTokens),
		reasoningTokens: Math.min(reasoning, cap),
		breaksAfter: numberIn(directives, 'break'),
	};
}

/** @param room Tokens that are left for it; below 0 when the hidden ones alone are too many. */
function planChoice(
	ask: Ask,
	directives: Map<string, string>,
	index: number,
	room: number,
): Omit<Choice, 'thoughts'> {
	const refusal = refusalOf(directives, index);
	const wanted = refusal === undefined ? toolCalls(ask, directives, index) : [];
	// where not even nothing fits, this is a cut too
	const tools = tokensOf(wanted) > room ? [] : wanted;
	const all = wanted.length ? [] : wordsOf(refusal ?? answerOf(ask, directives, index));
	const words = all.slice(0, Math.max(0, room));
	const cut = tools !== wanted || words.length < all.length;
	const whole = tools.length ? 'tool_calls' : 'stop';
	return {
		words,
		refuses: refusal !== undefined,
		tools,
		toolTokens: tokensOf(tools),
		finish: cut ? 'length' : whole,
	};
}

/** `[[thinks:N]]`: so many thoughts, cut at the cap. */
const thoughtsOf = (count: number, index: number) =>
	wordsOf(manyWords(count, 'thought')).map((word, at) => (at ? word : markOf(index) + word));

/** A directive's number as a whole one from 0. */
function wholeIn(directives: Map<string, string>, name: string) {
	const value = numberIn(directives, name);
	return value === undefined ? undefined : Math.max(0, Math.floor(value));
}
