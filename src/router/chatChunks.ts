import { findAnswerText } from '../service/answerText';
import { isObject } from '../service/json';
import { toToolCall, type TextAnswer, type TextChoice } from './textAnswer';
import { inOrder, isMissing, noCalls, takeCall, type Calls } from './toolCalls';

export interface ChatAnswer extends TextAnswer {
	/** The `chat.completion` object as it would have come without streaming; fields that nobody names are kept. */
	completion: Record<string, unknown>;
}

/** A choice while its pieces arrive. */
interface Choice {
	index: number;
	/** Fields beside the delta, such as `finish_reason`. */
	fields: Record<string, unknown>;
	/** The pieces of `content`. */
	pieces: string[];
	/** Every other field of the message. */
	message: Record<string, unknown>;
	calls: Calls;
}

/** Puts one chat completion together from the chunks of its stream. A whole one can be taken as a single chunk. */
export function joinChunks(requestedModel: string) {
	const top: Record<string, unknown> = {};
	const choices = new Map<number, Choice>();

	function takeChoice(given: unknown, position: number): string {
		if (!isObject(given)) return '';
		const index = indexOf(given, position);
		let choice = choices.get(index);
		if (!choice) {
			choice = { index, fields: {}, pieces: [], message: {}, calls: noCalls() };
			choices.set(index, choice);
		}
		for (const name of Object.keys(given)) {
			const value = given[name];
			if (name === 'delta' || name === 'message' || name === 'index' || isMissing(value)) continue;
			choice.fields[name] = isObject(value) ? joined(choice.fields[name], value) : value;
		}
		const delta = given['delta'] ?? given['message'];
		return isObject(delta) ? takeDelta(choice, delta) : '';
	}

	return {
		/** @returns the text that this chunk adds to the first choice. */
		take(chunk: Record<string, unknown>): string {
			for (const name of Object.keys(chunk)) {
				const value = chunk[name];
				if (name !== 'choices' && !isMissing(value) && fitsIn(top, name, value)) top[name] = value;
			}
			const given = chunk['choices'];
			let text = '';
			if (Array.isArray(given)) {
				for (const [position, choice] of given.entries()) {
					const added = takeChoice(choice, position);
					if (indexOf(choice, position) === 0) text += added;
				}
			}
			return text;
		},
		answer(): ChatAnswer {
			const sorted = [...choices.values()].sort((one, other) => one.index - other.index);
			const all = sorted.map(textChoice);
			const [first = { text: '', toolCalls: [] }] = all;
			const { model, usage } = top;
			return {
				...first,
				model: typeof model === 'string' ? model : requestedModel,
				...(isObject(usage) && { usage }),
				...(all.length > 1 && { choices: all }),
				completion: { ...top, object: 'chat.completion', choices: sorted.map(wholeChoice) },
			};
		},
	};
}

/** What came is not replaced by something of another type. */
const fitsIn = (top: Record<string, unknown>, name: string, value: unknown) =>
	top[name] === undefined || typeof top[name] === typeof value;

/** Where something without an index stands is told by its place in the list. */
const indexOf = (entry: unknown, position: number) =>
	isObject(entry) && typeof entry['index'] === 'number' ? entry['index'] : position;

function takeDelta(choice: Choice, delta: Record<string, unknown>): string {
	let text = '';
	for (const name of Object.keys(delta)) {
		const value = delta[name];
		if (name === 'content') {
			// content may be a part, or a list of them
			text = findAnswerText(value) ?? '';
			if (text) choice.pieces.push(text);
		} else if (name === 'tool_calls') {
			if (isList(value)) value.forEach((call, position) => takeCall(choice.calls, call, position));
		} else if (!isMissing(value)) {
			choice.message[name] = name === 'role' ? value : joined(choice.message[name], value);
		}
	}
	return text;
}

/** Texts and lists grow, objects grow field by field, anything else is what came last. What is known grows in place. */
function joined(known: unknown, value: unknown): unknown {
	if (typeof known === 'string' && typeof value === 'string') return known + value;
	if (isList(known) && isList(value)) {
		for (const entry of value) known.push(entry);
		return known;
	}
	if (!isObject(known) || !isObject(value)) return value;
	for (const [name, field] of Object.entries(value)) {
		if (!isMissing(field)) known[name] = joined(known[name], field);
	}
	return known;
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function textChoice({ pieces, message, fields, calls }: Choice): TextChoice {
	const { finish_reason: finishReason } = fields;
	const { refusal } = message;
	const reasoning = message['reasoning_content'] ?? message['reasoning'];
	const called = inOrder(calls).map((call) => {
		const said = isObject(call['function']) ? call['function'] : {};
		return toToolCall(call['id'], said['name'], said['arguments']);
	});
	return {
		text: pieces.join(''),
		toolCalls: called,
		...(typeof finishReason === 'string' && { finishReason }),
		...(typeof refusal === 'string' && { refusal }),
		...(typeof reasoning === 'string' && { reasoning }),
	};
}

function wholeChoice({ index, pieces, message, fields, calls }: Choice): object {
	const text = pieces.join('');
	const tools = inOrder(calls);
	return {
		index,
		message: {
			role: 'assistant',
			...message,
			content: text || (tools.length || message['refusal'] ? null : ''),
			...(tools.length && { tool_calls: tools }),
		},
		finish_reason: null,
		...fields,
	};
}
