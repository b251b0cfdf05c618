import { data, event, json, stream, type Answer } from '../answer.ts';
import type { Call } from '../call.ts';
import { paced } from '../pace.ts';
import type { World } from '../world.ts';

/** A's answer in one of the forms a stream may have: "its wire format is not shown" (section 4A). */
export function inForm(world: World, call: Call, words: string[]): Answer {
	const live = (pieces: string[], type: string) => stream(paced(world, call, pieces), type);
	switch (world.forms.agent) {
		case 'sse-text':
			return live([...words.map(data), data('[DONE]')], 'text/event-stream');
		case 'ndjson':
			return live(
				[
					...words.map((word) => `${JSON.stringify({ type: 'delta', text: word })}\n`),
					`${JSON.stringify({ type: 'end' })}\n`,
				],
				'application/x-ndjson',
			);
		case 'text':
			return live(words, 'text/plain; charset=utf-8');
		case 'json':
			return json({ content: words.join('') });
		default:
			return live(
				[
					...words.map((word) => event('message', { type: 'delta', content: word })),
					event('message', { type: 'end' }),
					data('[DONE]'),
				],
				'text/event-stream',
			);
	}
}
