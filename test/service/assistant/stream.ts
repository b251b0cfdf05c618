import { event, stream, type Answer } from '../answer.ts';
import { type Call } from '../call.ts';
import { directivesOf, numberIn, wordsOf } from '../directives.ts';
import { uuidOf } from '../ids.ts';
import { answerText } from '../memory.ts';
import { paced } from '../pace.ts';
import type { World } from '../world.ts';
import type { Question } from './endpoint.ts';

const TOOLS = [
	{ en: 'Reading market data', de: 'Marktdaten werden gelesen' },
	{ en: 'Searching the web', de: 'Das Web wird durchsucht' },
	{ en: 'Tracking wallets', de: 'Wallets werden verfolgt' },
];

/** The stream of section 6B: all six events, `chat` first, `finish` last. */
export function streamAnswer(world: World, call: Call, question: Question): Answer {
	return stream(paced(world, call, eventsFor(world, question)));
}

function* eventsFor(world: World, { chatId, said }: Question): Generator<string> {
	const message = said.at(-1) ?? '';
	const directives = directivesOf(message);
	const turn = said.length;
	yield event('chat', { chat_id: chatId, chat_title: (said[0] ?? '').slice(0, 40) });
	const tools = numberIn(directives, 'tools') ?? 1;
	for (let index = 0; index < tools; index++) {
		const id = uuidOf('call', chatId, turn, index);
		yield event('pending_tool_call', { call_id: id, title: TOOLS[index % TOOLS.length] });
		yield event('finished_tool_call', { call_id: id });
	}
	const messages = numberIn(directives, 'messages') ?? world.forms.assistantMessages;
	for (let index = 0; index < messages; index++) {
		const answer = index === 0 ? answerText(said, 'chat') : `Message ${index + 1} of ${messages}.`;
		for (const word of wordsOf(answer)) yield event('message_start', { t: word });
		yield event('message_end', { message_id: uuidOf('message', chatId, turn, index) });
	}
	yield world.forms.finish === 'null' ? event('finish', null) : 'event: finish\n\n';
}
