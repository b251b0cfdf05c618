import { invalidInputError } from '../core/errors';
import { isPlainObject } from '../core/json';
import type { Conversation, Turn } from './conversation';
import { type Ending, type EndingKind, sumCosts, withoutStop } from './ending';
import { isAmount } from './reply';

/** A turn as the output has it: one row of a table. Every row has all columns. */
interface TranscriptRow {
	conversationId: string;
	turn: number;
	speaker: string;
	text: string;
	sessionId: string | null;
	model: string | null;
	/** USD. */
	costUsd: number | null;
	inputTokens: number | null;
	outputTokens: number | null;
	requestId: string | null;
	approvedBy: string | null;
	/** ISO date. */
	at: string | null;
	/** What else is to be known of the turn, in words. */
	note: string | null;
}

export function toRows({ id, turns }: Pick<Conversation, 'id' | 'turns'>): TranscriptRow[] {
	return turns.map(({ turn, speaker, text, chatId, sessionId, at, ...more }) => ({
		conversationId: id,
		turn,
		speaker,
		text,
		// a service that gives out chats continues by them
		sessionId: chatId ?? sessionId ?? null,
		model: more.model ?? null,
		costUsd: more.costUsd ?? null,
		inputTokens: more.inputTokens ?? null,
		outputTokens: more.outputTokens ?? null,
		requestId: more.requestId ?? null,
		approvedBy: more.approvedBy ?? null,
		at: at || null,
		note: more.note ?? null,
	}));
}

/** The turns of an earlier conversation, and its ID if the rows have it. */
export interface EarlierTurns {
	turns: Turn[];
	conversationId?: string;
}

/**
 * Reads the turns of an earlier conversation: of an output, of a table, or made elsewhere. Each needs its text, and who spoke.
 *
 * @param continuesChat Whether the service of a speaker gives out the IDs by which its conversation is continued.
 * @throws ServiceError `invalid`, naming the turn.
 */
export function readTranscript(
	rows: readonly unknown[],
	speakers: readonly string[],
	continuesChat: (speaker: string) => boolean,
): EarlierTurns {
	const turns = inOrder(rows).map((row, index): Turn => {
		const place = `Transcript to Continue ${index + 1}`;
		if (!isPlainObject(row) || typeof row['text'] !== 'string')
			throw invalidInputError(`${place} must be an object with "text" and "speaker"`);
		const { text, speaker } = row;
		if (typeof speaker !== 'string' || !speakers.includes(speaker))
			throw invalidInputError(
				`${place}: "speaker" is not one of the connected speakers`,
				`It must be one of: ${speakers.join(', ')}. A speaker has the name of its node.`,
			);
		const session = textOf(row['sessionId']);
		return {
			turn: index + 1,
			speaker,
			text,
			...(session && (continuesChat(speaker) ? { chatId: session } : { sessionId: session })),
			...textFields(row),
			...numberFields(row),
			at: textOf(row['at']) ?? '',
			...(!text.trim() && { failed: true as const }),
		};
	});
	const ids = new Set(
		rows.map((row) => (isPlainObject(row) ? textOf(row['conversationId']) : undefined)),
	);
	const [conversationId] = ids;
	if (ids.size > 1)
		throw invalidInputError(
			'Transcript to Continue has turns of several conversations',
			'All of its rows need the same "conversationId".',
		);
	return { turns, ...(conversationId && { conversationId }) };
}

/** A table may return its rows in any order. */
function inOrder(rows: readonly unknown[]): readonly unknown[] {
	const numberOf = (row: unknown) => (isPlainObject(row) ? row['turn'] : undefined);
	if (!rows.every((row) => typeof numberOf(row) === 'number')) return rows;
	return [...rows].sort((one, other) => Number(numberOf(one)) - Number(numberOf(other)));
}

const TEXT_FIELDS = ['model', 'requestId', 'approvedBy', 'note'] as const;
const NUMBER_FIELDS = ['costUsd', 'inputTokens', 'outputTokens'] as const;

function textFields(
	row: Record<string, unknown>,
): Partial<Record<(typeof TEXT_FIELDS)[number], string>> {
	return Object.fromEntries(
		TEXT_FIELDS.map((name) => [name, textOf(row[name])]).filter(([, value]) => value !== undefined),
	) as Record<string, string>;
}

function numberFields(
	row: Record<string, unknown>,
): Partial<Record<(typeof NUMBER_FIELDS)[number], number>> {
	return Object.fromEntries(
		NUMBER_FIELDS.map((name) => [name, row[name]]).filter(([, value]) => isAmount(value)),
	) as Record<string, number>;
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** The output of a conversation that has ended. */
interface Result {
	/** The last thing said. */
	output: string;
	ended: EndingKind;
	/** Why it ended, in words. */
	reason: string;
	/** Of all turns, earlier ones included. */
	turns: number;
	conversationId: string;
	/** What the speakers reported together, in USD; absent if none reported anything. */
	costUsd?: number;
	/** Who reported no cost in a turn: it counted as 0. */
	speakersWithoutCost: string[];
	speakers: Array<{ name: string; sessionId?: string; chatId?: string }>;
	transcript: TranscriptRow[];
	durationMs: number;
	/** No field of the name `error`: n8n would take the conversation for one that has to be repeated. */
	failure?: NonNullable<Ending['failure']>;
}

export function toResult(conversation: Conversation): Result {
	const { id, rules, ids, speakers, turns, began, endedAt = began, ending } = conversation;
	const last = turns.findLast(({ text, failed }) => text.trim() && !failed)?.text ?? '';
	const isPriced = turns.some(({ costUsd }) => costUsd !== undefined);
	const unpriced = turns.filter(({ costUsd }) => costUsd === undefined);
	return {
		output: rules.removeStop ? withoutStop(last, conversation) : last,
		ended: ending?.kind ?? 'speakerFailed',
		reason: ending?.reason ?? 'It has not ended',
		turns: turns.length,
		conversationId: id,
		...(isPriced && { costUsd: sumCosts(turns) }),
		speakersWithoutCost: [...new Set(unpriced.map(({ speaker }) => speaker))],
		speakers: speakers.map((name) => ({ name, ...ids[name] })),
		transcript: toRows(conversation),
		durationMs: Math.max(0, endedAt - began),
		...(ending?.failure && { failure: { ...ending.failure } }),
	};
}
