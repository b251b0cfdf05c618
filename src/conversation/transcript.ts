import { invalidInputError } from '../core/errors';
import { isPlainObject, omitMissing } from '../core/json';
import { isAmount } from './amounts';
import { describeUnsent, toOpenApproval } from './approval';
import type { Conversation, Turn } from './conversation';
import { type Ending, sumCosts } from './ending';
import { formatTurns } from './nextTurn';
import { firstText } from './person';

/**
 * The turns as rows of a table, for the output. Every row has the same columns; that of servers only exists if an agent of another server
 * answered, those about what waits if an agent waited, those about people if a person answered.
 */
export function toRows({ id, turns }: Pick<Conversation, 'id' | 'turns'>) {
	const hasPeople = turns.some(({ respondedAt, replacedText }) => respondedAt ?? replacedText);
	const hasServers = turns.some(({ server }) => server);
	const hasWaits = turns.some(({ taskId, waiting }) => taskId ?? waiting);
	return turns.map(({ turn, speaker, text, chatId, sessionId, at, ...more }) => ({
		conversationId: id,
		turn,
		speaker,
		text,
		// a service that assigns chat IDs continues by them
		sessionId: chatId ?? sessionId ?? null,
		...pickOrNull(more, FACTS),
		...(hasServers && pickOrNull(more, FACTS_OF_SERVERS)),
		...(hasWaits && pickOrNull(more, FACTS_OF_WAITS)),
		...(hasPeople && pickOrNull(more, FACTS_OF_PEOPLE)),
		at: at || null,
		note: more.note ?? null,
	}));
}

const FACTS = [
	'model',
	'costUsd',
	'inputTokens',
	'outputTokens',
	'requestId',
	'durationMs',
	'approvedBy',
] as const;
const FACTS_OF_SERVERS = ['server', 'sessionAt'] as const;
const FACTS_OF_WAITS = ['waiting', 'taskId'] as const;
const FACTS_OF_PEOPLE = ['replacedText', 'replacedBy', 'respondedBy', 'respondedAt'] as const;

const pickOrNull = <Name extends keyof Turn>(turn: Pick<Turn, Name>, names: readonly Name[]) =>
	Object.fromEntries(names.map((name) => [name, turn[name] ?? null]));

/** The turns of an earlier conversation, and its ID if the rows have it. */
export type EarlierTurns = ReturnType<typeof readTranscript>;

/**
 * Reads the turns of an earlier conversation, from an output, a table or anywhere else. Each needs its text and its speaker.
 *
 * @param continuesChat Whether the service of a speaker assigns the IDs of its chats.
 * @param afterTurn The last turn that counts; all if absent.
 * @throws ServiceError `invalid`, naming the turn.
 */
export function readTranscript(
	rows: readonly unknown[],
	speakers: readonly string[],
	continuesChat: (speaker: string) => boolean,
	afterTurn?: number,
) {
	const turns = upTo(afterTurn, inOrder(rows)).map((row, index): Turn => {
		const place = `Transcript to Continue ${index + 1}`;
		if (!isPlainObject(row) || typeof row['text'] !== 'string')
			throw invalidInputError(`${place} must be an object with "text" and "speaker"`);
		const { text, speaker } = row;
		if (typeof speaker !== 'string' || !speakers.includes(speaker))
			throw invalidInputError(
				`${place}: "speaker" is not one of the connected speakers`,
				`It must be one of: ${speakers.join(', ')}. A speaker has the name of its node.`,
			);
		const session = firstText(row['sessionId']);
		return {
			turn: index + 1,
			speaker,
			text,
			...(session && (continuesChat(speaker) ? { chatId: session } : { sessionId: session })),
			...readFacts(row),
			at: firstText(row['at']) ?? '',
			...(!text.trim() && { failed: true as const }),
		};
	});
	const ids = new Set(
		rows.map((row) => (isPlainObject(row) ? firstText(row['conversationId']) : undefined)),
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
	if (!rows.every((row) => typeof numberOf(row) === 'number')) return rows;
	return [...rows].sort((one, other) => Number(numberOf(one)) - Number(numberOf(other)));
}

/** A sheet or a database may return it as a text. */
const numberOf = (row: unknown) => (isPlainObject(row) && Number(row['turn'])) || undefined;

/** The rows up to a turn, by its number or otherwise its position. Later rows do not count. */
function upTo(afterTurn: number | undefined, rows: readonly unknown[]): readonly unknown[] {
	if (afterTurn === undefined) return rows;
	const last = rows.findLastIndex((row, index) => (numberOf(row) ?? index + 1) === afterTurn);
	if (last >= 0) return rows.slice(0, last + 1);
	const numbers = rows.map((row, index) => numberOf(row) ?? index + 1).join(', ');
	throw invalidInputError(
		`Continue After Turn: Transcript to Continue has no turn ${afterTurn}`,
		numbers ? `Its turns are: ${numbers}.` : 'It is empty.',
	);
}

/** A database may return it as a text. */
function readAmount(value: unknown): number | undefined {
	const amount = typeof value === 'string' && value.trim() ? Number(value) : value;
	return isAmount(amount) ? amount : undefined;
}

/** What a row says besides its text, without values of the wrong type. */
function readFacts(row: Readonly<Record<string, unknown>>): Partial<Turn> {
	const names = [...FACTS, ...FACTS_OF_SERVERS, ...FACTS_OF_WAITS, ...FACTS_OF_PEOPLE, 'note'];
	const facts = names.map((name) => {
		const read = /(Usd|Tokens|Ms)$/.test(name) ? readAmount : firstText;
		return [name, read(row[name])] as const;
	});
	return omitMissing(Object.fromEntries(facts));
}

/** The turns and the result whose cost is known. */
export const listCosts = ({ turns, conclusion }: Pick<Conversation, 'turns' | 'conclusion'>) =>
	[...turns, ...(conclusion ? [conclusion] : [])].flatMap(({ costUsd }) =>
		costUsd === undefined ? [] : [{ costUsd }],
	);

const NOT_ENDED: Ending = { kind: 'speakerFailed', reason: 'It has not ended' };

/** The output of a conversation that has ended. */
export function toResult(conversation: Conversation) {
	const { id, ids, speakers, turns, began, endedAt = began, ending = NOT_ENDED } = conversation;
	const { conclusion, approval } = conversation;
	const texts = turns.flatMap(({ text, failed }) => (text.trim() && !failed ? [text] : []));
	// who has said nothing else than what ended it has agreed to what was said before
	const last = texts.at(ending.finalText === '' ? -2 : -1) ?? '';
	const costs = listCosts(conversation);
	const unpriced = turns.filter(({ costUsd }) => costUsd === undefined);
	const withoutCost = [
		...unpriced.map(({ speaker }) => speaker),
		...(conclusion?.withoutCost ?? []),
	];
	return {
		// the last thing said
		output: ending.finalText || last,
		ended: ending.kind,
		reason: [ending.reason, approval && describeUnsent(approval)].filter(Boolean).join('. '),
		// earlier ones included
		turns: turns.length,
		conversationId: id,
		...(approval && { waitsFor: toOpenApproval(approval) }),
		...conclusion?.output,
		// what the speakers reported, without what was only reserved
		...(costs.length && { costUsd: sumCosts(costs) }),
		speakersWithoutCost: [...new Set(withoutCost)],
		speakers: speakers.map((name) => ({ name, ...ids[name] })),
		transcriptText: formatTurns(conversation),
		transcript: toRows(conversation),
		// from the first message to the last answer, with pauses and waits for people: not the sum of the turns, and none of earlier ones
		durationMs: Math.max(0, endedAt - began),
		// not named `error`: n8n would repeat the conversation
		...(ending.failure && { failure: { ...ending.failure } }),
	};
}
