import { invalidInputError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { sides, type Rules, type Side, type Turn } from './conversation';

/**
 * Reads the turns of an earlier conversation, as the bridge gave them or made elsewhere: each needs its text, and who spoke.
 *
 * @throws ServiceError `invalid`, naming the turn.
 */
export function toTurns(transcript: readonly unknown[], names: Rules['names']): Turn[] {
	return transcript.map((entry, index) => {
		const place = `Transcript to Continue ${index + 1}`;
		if (!isPlainObject(entry) || typeof entry['text'] !== 'string')
			throw invalidInputError(`${place} must be an object with "text" and "speaker"`);
		const { text, message, sessionId, chatId, durationMs } = entry;
		const side = sideOf(entry, names);
		if (!side) {
			const known = sides.map((each) => `"${names[each]}"`).join(' or ');
			throw invalidInputError(
				`${place}: who spoke must be ${known}`,
				'It is in "speaker", or in "side".',
			);
		}
		return {
			turn: index + 1,
			side,
			speaker: names[side],
			...(typeof message === 'string' && { message }),
			text,
			...(isText(sessionId) && { sessionId }),
			...(isText(chatId) && { chatId }),
			...(typeof durationMs === 'number' && { durationMs }),
		};
	});
}

/** Names may have changed since: the side counts. */
function sideOf(
	{ side, speaker }: Record<string, unknown>,
	names: Rules['names'],
): Side | undefined {
	return sides.find((each) => each === side) ?? sides.find((each) => names[each] === speaker);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
