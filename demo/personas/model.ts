import { isFields, type Fields } from '../../test/service/call.ts';
import { directivesOf } from '../../test/service/directives.ts';
import { shownIn } from '../../test/service/media/file.ts';
import type { Ask } from '../../test/service/router/ask.ts';
import { partsIn } from '../../test/service/router/parts.ts';
import type { ToolCall } from '../../test/service/router/toolCalls.ts';
import { factsOf, scriptedAnswer } from './agent.ts';
import { asTold } from './instructions.ts';
import { conclusion, isConclusion, isModeration, moderator } from './moderator.ts';
import { readFields } from './structured.ts';

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
	if (isConclusion(ask.message)) return { text: conclusion(ask.message), calls: [] };
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
	const facts = {
		...factsOf('model', users),
		result: ask.toolResult === undefined ? '' : textOf(ask.toolResult),
		reviewer: `${system}\n${users[0] ?? ''}`,
	};
	const text = pictureAnswer(lastUser?.content) ?? scriptedAnswer(facts) ?? '';
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
function isAbout(tool: Fields, message: string) {
	const told = `${String(tool.name)} ${String(tool.description ?? '')}`.toLowerCase();
	if (/weather/.test(told) && WEATHER.test(message)) return true;
	const words = told.split(/[^a-z]+/).filter((word) => word.length > 4);
	return words.some((word) => new RegExp(`\\b${word}`, 'i').test(message));
}

const WEATHER = /\b(umbrella|weather|rain\w*|cold|warm|jacket|snow\w*)\b/i;

/** The answer in a tool's result, which n8n's AI Agent hands over as the JSON of its item. */
function textOf(result: string) {
	const [, text] = /"output":("(?:[^"\\]|\\.)*")/.exec(result) ?? [];
	return text === undefined ? result : String(JSON.parse(text)).replace(/\.$/, '');
}

/** What is to be seen in the pictures of a message. */
function pictureAnswer(content: unknown) {
	if (!Array.isArray(content)) return undefined;
	const addresses = content.filter(isFields).flatMap(({ image_url: image }) => {
		const url = isFields(image) ? image.url : image;
		return typeof url === 'string' ? [url] : [];
	});
	const described = addresses.map((url) => {
		const shown = shownIn(Buffer.from(url.replace(/^data:image\/png;base64,/, ''), 'base64'));
		return shown === undefined
			? 'I was given a picture, but a scripted model knows only the pictures of the demo.'
			: `${shown}, drawn in flat colors.`;
	});
	return described.length ? described.join('\n') : undefined;
}
