import { event, stream, type Answer } from '../answer.ts';
import { type Call } from '../call.ts';
import { directivesOf, numberIn, wordsOf, answerText } from '../directives.ts';
import { uuidOf } from '../ids.ts';
import { marketAnswer } from '../../../demo/personas/market.ts';
import { paced } from '../pace.ts';
import type { World } from '../world.ts';
import type { Question } from './endpoint.ts';

const TITLES = {
	market: { en: 'Reading market data', de: 'Marktdaten werden gelesen' },
	web: { en: 'Searching the web', de: 'Das Web wird durchsucht' },
	wallets: { en: 'Tracking wallets', de: 'Wallets werden verfolgt' },
};
const TOOLS = Object.values(TITLES);

/** The stream of section 6B: all six events, `chat` first, `finish` last. */
export function streamAnswer(world: World, call: Call, question: Question): Answer {
	return stream(paced(world, call, eventsFor(world, question)));
}

function* eventsFor(world: World, { chatId, said }: Question): Generator<string> {
	const message = said.at(-1) ?? '';
	const directives = directivesOf(message);
	const turn = said.length;
	yield event('chat', { chat_id: chatId, chat_title: (said[0] ?? '').slice(0, 40) });
	const scripted = world.personas ? marketAnswer(said) : undefined;
	const count = numberIn(directives, 'tools') ?? 1;
	const tools =
		scripted?.tools.map((tool) => TITLES[tool]) ??
		Array.from({ length: count }, (_, index) => TOOLS[index % TOOLS.length]);
	for (const [index, title] of tools.entries()) {
		const id = uuidOf('call', chatId, turn, index);
		yield event('pending_tool_call', { call_id: id, title });
		yield event('finished_tool_call', { call_id: id });
	}
	const answer = scripted?.text ?? answerText(said, 'chat');
	for (const word of wordsOf(answer)) yield event('message_start', { t: word });
	yield event('message_end', { message_id: uuidOf('message', chatId, turn, 0) });
	yield event('finish', null);
}
