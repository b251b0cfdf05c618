import { isFields, type Fields } from '../call.ts';
import { directivesOf } from '../directives.ts';
import type { Ask } from '../router/ask.ts';
import { partsIn } from '../router/parts.ts';
import type { ToolCall } from '../router/toolCalls.ts';
import { knownAnswer } from './knowledge.ts';
import { asTold } from './instructions.ts';
import { isModeration, moderator } from './moderator.ts';
import { pictureAnswer } from './picture.ts';
import { isRelease, planner } from './release.ts';
import { remembering } from './remembering.ts';
import { readFields } from './structured.ts';
import { stopPhraseOf } from './words.ts';
import { saysWhen } from './writer.ts';

/** An answer that is written before it is planned. */
export interface Scripted {
	text: string;
	calls: ToolCall[];
}

/**
 * The scripted model of the demo.
 *
 * @param messages The conversation as it came, in either protocol.
 * @returns undefined for a message with a directive, which is answered as it says
 */
export function modelAnswer(
	ask: Ask,
	messages: unknown,
	instructions: string,
): Scripted | undefined {
	if (directivesOf(ask.message).size) return undefined;
	if (isModeration(ask.message)) return { text: moderator(ask.message), calls: [] };
	const list = Array.isArray(messages) ? messages.filter(isFields) : [];
	const said = (role: RegExp) =>
		list
			.filter((message) => role.test(String(message.role)))
			.map(({ content }) => partsIn(content).text);
	const system = [instructions, ...said(/^(system|developer)$/)].join('\n');
	const users = Array.isArray(messages) ? said(/^user$/) : [ask.message];
	const calls = callsFor(ask);
	if (calls.length) return { text: '', calls };
	if (ask.schema !== undefined)
		return { text: JSON.stringify(readFields(ask.schema, ask.message)), calls };
	const lastUser = list.findLast(({ role }) => role === 'user');
	const text =
		(ask.toolResult !== undefined ? fromTool(ask.message, ask.toolResult) : undefined) ??
		pictureAnswer(lastUser?.content) ??
		review(system, users) ??
		(isRelease(users) ? planner(users) : undefined) ??
		knownAnswer(ask.message) ??
		remembering(users, 'model');
	const told = asTold(text, system, ask.message);
	return { text: ask.jsonObject ? JSON.stringify({ answer: told }) : told, calls };
}

/** Calls the tool that it must, or the first that has to do with the message. */
function callsFor(ask: Ask): ToolCall[] {
	if (ask.toolChoice === 'none' || ask.toolResult !== undefined) return [];
	const tools = ask.tools.map((tool) => (isFields(tool.function) ? tool.function : tool));
	const chosen = isFields(ask.toolChoice) ? ask.toolChoice : undefined;
	const name = chosen && (isFields(chosen.function) ? chosen.function.name : chosen.name);
	const tool =
		tools.find((each) => each.name === name) ??
		tools.find((each) => isAbout(each, ask.message)) ??
		(ask.toolChoice === 'required' ? tools[0] : undefined);
	if (!tool) return [];
	const given = readFields(tool.parameters ?? { type: 'object' }, ask.message);
	return [{ id: 'call_1', name: String(tool.name), arguments: JSON.stringify(given) }];
}

/** Whether a message has a word of a tool's name or description, or one that means the weather. */
function isAbout(tool: Fields, message: string): boolean {
	const told = `${String(tool.name)} ${String(tool.description ?? '')}`.toLowerCase();
	if (/weather/.test(told) && WEATHER.test(message)) return true;
	const words = told.split(/[^a-z]+/).filter((word) => word.length > 4);
	return words.some((word) => new RegExp(`\\b${word}`, 'i').test(message));
}

const WEATHER = /\b(umbrella|weather|rain\w*|cold|warm|jacket|snow\w*)\b/i;

function fromTool(question: string, result: string): string {
	const place = /\bin ([A-Z]\p{L}+)/u.exec(question)?.[1];
	const where = place ? ` in ${place}` : '';
	if (/\bumbrella\b/i.test(question)) {
		return /\b(rain|shower|storm|snow)/i.test(result)
			? `Yes, take an umbrella: it is ${result}${where}.`
			: `No, leave the umbrella at home: it is ${result}${where}.`;
	}
	return `I have looked it up${where && ` for you${where}`}: ${textOf(result)}.`;
}

/** The answer in a tool's result, which n8n's AI Agent hands over as the JSON of its item. */
function textOf(result: string): string {
	const [, text] = /"output":("(?:[^"\\]|\\.)*")/.exec(result) ?? [];
	return text === undefined ? result : String(JSON.parse(text)).replace(/\.$/, '');
}

/** Reads what a writer has written, and names one thing that is missing, or agrees. */
function review(system: string, users: readonly string[]): string | undefined {
	if (!/\byou review\b/i.test(`${system}\n${users[0] ?? ''}`)) return undefined;
	const stop = stopPhraseOf([system, ...users]);
	const text = users.at(-1) ?? '';
	return saysWhen(text.replace(/^[^]*says:/, ''))
		? `It says what there is, from when on, and what to do. ${stop}`.trim()
		: 'One thing is missing: it does not say when. Name the day and the time.';
}
