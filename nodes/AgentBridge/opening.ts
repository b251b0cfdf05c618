import type { Rules, Turn } from '../../src/bridge/conversation';
import { toPattern } from '../../src/bridge/ending';
import { holdsMessage } from '../../src/bridge/relay';
import { toTurns } from '../../src/bridge/transcript';
import { invalidInputError } from '../../src/core/errors';
import type { ParamValues } from '../../src/n8n/parameters';
import type { bridgeParams } from './bridge.params';

type Given = ParamValues<typeof bridgeParams>;

export type LiveLines = NonNullable<Given['options']['liveOutput']>;

/** Option "Remove Stop Phrase" as it is when nobody has added it: a collection leaves it out. */
const KEEP_STOP = false;

/**
 * Makes the rules of a conversation of one item's parameters.
 *
 * @throws ServiceError `invalid`.
 */
export function toOpening({ options, ...given }: Given): {
	rules: Rules;
	earlier: Turn[];
	live: LiveLines;
} {
	const names = { first: given.firstName.trim(), second: given.secondName.trim() };
	if (names.first === names.second)
		throw invalidInputError('Name of First Speaker and Name of Second Speaker must differ');
	const earlier = toTurns(options.transcript ?? [], names);
	const isNew = !earlier.some(({ text }) => text.trim());
	if (isNew && !given.message.trim())
		throw invalidInputError(
			'Message is empty',
			'If it is an expression, it found nothing for this item.',
		);
	const { relayTemplate = '{message}', stopPattern = '', timeLimit } = options;
	if (!holdsMessage(relayTemplate))
		throw invalidInputError(
			'Relay Template must hold {message}',
			'There the text of the speaker goes.',
		);
	toPattern(stopPattern);
	return {
		rules: {
			opening: given.message,
			startsWith: given.startsWith,
			names,
			instructions: { first: given.firstInstruction, second: given.secondInstruction },
			relayTemplate,
			turnLimit: given.turnLimit,
			...(timeLimit !== undefined && { timeLimit: timeLimit * 1000 }),
			stopPhrase: given.stopPhrase,
			stopPattern,
			removeStop: options.removeStop ?? KEEP_STOP,
			answerField: options.answerField?.trim() ?? '',
		},
		earlier,
		live: options.liveOutput ?? 'names',
	};
}
