import { json, type Answer } from '../answer.ts';
import { isFields, partsOf, UUID, type Call } from '../call.ts';
import { answerText } from '../directives.ts';
import { uuidOf } from '../ids.ts';
import { ASSISTANT_KEYS } from '../keys.ts';
import { marketAnswer } from '../../../demo/personas/market.ts';
import type { World } from '../world.ts';
import { overRate } from './rate.ts';
import { streamAnswer } from './stream.ts';

/** One question to B with what was said before it. */
export interface Question {
	chatId: string;
	said: string[];
	model: string;
}

/** Section 7B: `{detail}`. */
const refused = (status: number, detail: string, headers: Record<string, string> = {}) =>
	json({ detail }, status, headers);

/** Section 4B; undefined when the path is none of B. */
export function assistantEndpoint(world: World, call: Call): Answer | undefined {
	const [api, assistant, v1, name = '', more] = partsOf(call.path) ?? [];
	if (api !== 'api' || assistant !== 'ai-assistant') return undefined;
	const known = name === 'invoke_assistant' || name === 'invoke_assistant_stream';
	if (v1 !== 'v1' || !known || more !== undefined) return refused(404, 'Not Found');
	if (call.method !== 'POST') return refused(405, 'Method Not Allowed');

	// the key is checked before the body
	const key = String(call.headers['x-api-key']);
	const tier = tierOf(key);
	if (!tier) return refused(401, 'API key incorrect or missing');
	if (tier === 'forbidden') return refused(403, 'API key lacks permission for this action');
	const wait = overRate(world, key, tier);
	if (wait !== undefined)
		return refused(429, 'Rate limit exceeded', { 'retry-after': `${Math.ceil(wait / 1000)}` });

	const question = read(world, call.body);
	if (typeof question === 'string') return refused(400, question);
	return name === 'invoke_assistant'
		? wholeAnswer(world, question)
		: streamAnswer(world, call, question);
}

/** The complete answer of `invoke_assistant`; its fields are not shown (section 2B). */
function wholeAnswer({ personas }: World, { chatId, said, model }: Question) {
	const scripted = personas ? marketAnswer(said) : undefined;
	return json({
		chat_id: chatId,
		message_id: uuidOf('message', chatId, said.length),
		model,
		answer: scripted?.text ?? answerText(said, 'chat'),
	});
}

/** A key with a dash and more behind it is another account of the same tier. */
function tierOf(key: string) {
	const known = Object.entries(ASSISTANT_KEYS);
	return known.find(([, value]) => key === value || key.startsWith(`${value}-`))?.[0];
}

/** @returns the question, or what is wrong with it. */
function read(world: World, body: unknown): Question | string {
	if (!isFields(body)) return 'Malformed request: the body is no JSON object';
	const { message, chat_id: chat, model = 'svc_v1.2' } = body;
	if (typeof message !== 'string' || message === '') return 'Missing required parameter: message';
	if (typeof model !== 'string') return 'Malformed request: model is no string';
	let chatId: string;
	if (chat === undefined) {
		chatId = uuidOf('chat', world.next());
	} else {
		if (typeof chat !== 'string' || !UUID.test(chat))
			return 'Malformed request: chat_id is no uuid';
		chatId = chat;
		const unknown = !world.chats.has(chatId);
		if (unknown && world.forms.unknownChat === 'refused') return `Unknown chat_id: ${chatId}`;
	}
	const said = [...(world.chats.get(chatId) ?? []), message];
	world.chats.set(chatId, said);
	return { chatId, said, model };
}
