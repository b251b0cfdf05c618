import { ServiceError } from '../../../src/core/errors';
import type { Ledger, LedgerTable } from '../../../src/ledger/ledger';
import { findChat, MAX_CHATS, rememberChat } from '../../../src/ledger/sessionChats';
import { virtualClock } from '../virtualClock';
import { ledgerOn, Rows } from './simulatedTable';

const HOUR = 3_600_000;

/** @param chance 0 counts the chats at every new one, 1 never does. */
function remembering(
	chance = 1,
	change: (table: LedgerTable) => Partial<LedgerTable> = () => ({}),
) {
	const clock = virtualClock(chance);
	const rows = new Rows();
	const ledger = (executionId?: string) => {
		const table = rows.client(clock, { latency: () => 5 });
		return ledgerOn({ ...table, ...change(table) }, clock, executionId);
	};
	return { clock, rows: rows.rows, ledger };
}

const session = (uniqueKey: string, credentialId = 'a') => ({ credentialId, uniqueKey });
const idOf = async (ledger: Ledger, uniqueKey: string, credentialId?: string) =>
	(await findChat(ledger, session(uniqueKey, credentialId)))?.chatId;

it('each session of each account has its own chat', async () => {
	const { ledger } = remembering();
	await rememberChat(ledger(), session('s1'), 'chat-1');
	await rememberChat(ledger(), session('s2'), 'chat-2');
	await rememberChat(ledger(), session('s1', 'b'), 'chat-3');
	for (const [key, credentialId, chat] of [
		['s1', 'a', 'chat-1'],
		['s2', 'a', 'chat-2'],
		['s1', 'b', 'chat-3'],
		['s3', 'a', undefined],
	] as const)
		expect(await idOf(ledger(), key, credentialId)).toBe(chat);
});

it('of two first questions at once, both find the chat of the first row afterwards', async () => {
	const { ledger, rows } = remembering();
	const remember = (chat: string) => rememberChat(ledger(), session('s'), chat);
	await Promise.all([remember('chat-1'), remember('chat-2')]);
	const known = await idOf(ledger(), 's');
	expect(known).toBe(JSON.parse(rows.find(({ id }) => id === 1)!.record).chatId);
	await remember('chat-3');
	expect([rows.length, await idOf(ledger(), 's')]).toEqual([2, known]);
});

it('a session whose first row a person has changed goes on with the next chat', async () => {
	const { ledger, rows } = remembering();
	await rememberChat(ledger(), session('s'), 'chat-1');
	rows[0]!.record = 'edited';
	for (const chat of ['chat-2', 'chat-3']) await rememberChat(ledger(), session('s'), chat);
	expect([rows.length, await idOf(ledger(), 's')]).toEqual([2, 'chat-2']);
});

it('a chat that is refused is replaced, by the first who does', async () => {
	const { ledger } = remembering();
	await rememberChat(ledger(), session('s'), 'gone');
	const refused = await findChat(ledger(), session('s'));
	for (const chat of ['new-1', 'new-2']) await rememberChat(ledger(), session('s'), chat, refused);
	expect(await idOf(ledger(), 's')).toBe('new-1');
});

it('the use of a chat is recorded once an hour', async () => {
	const { ledger, rows, clock } = remembering();
	await rememberChat(ledger('first'), session('s'), 'chat-1');
	const addedAt = rows[0]!.startedAt;
	await idOf(ledger('second'), 's');
	expect(rows).toMatchObject([{ startedAt: addedAt, executionId: 'first' }]);
	await clock.sleep(2 * HOUR);
	await idOf(ledger('third'), 's');
	expect(rows).toMatchObject([{ startedAt: expect.any(Number), executionId: 'third' }]);
	expect(rows[0]!.startedAt).toBeGreaterThan(addedAt + HOUR);
});

describe('more chats than are kept', () => {
	const fill = async (chance: number, change?: (table: LedgerTable) => Partial<LedgerTable>) => {
		const world = remembering(chance, change);
		const { clock, rows } = world;
		const made = new Rows();
		for (let number = 1; number <= MAX_CHATS + 3; number++) {
			const record = JSON.stringify({ chatId: `chat-${number}` });
			const entry = { uniqueKey: `s${number}`, credentialId: 'a', record, startedAt: number };
			rows.push(made.made({ state: 'chat', ...entry }));
		}
		rows.push({ ...made.made({ state: 'chat', credentialId: 'b', uniqueKey: 's1' }) });
		rows.push({ ...made.made({ state: 'delivered', credentialId: 'a' }) });
		await clock.sleep(3 * HOUR);
		// the one that was unused for longest is used again
		await idOf(world.ledger(), 's1');
		return world;
	};
	/** The ids of rows that a test adds by hand are taken. */
	const addChat = async (ledger: Ledger) => {
		const add: LedgerTable['add'] = async () => {};
		return await rememberChat({ ...ledger, table: { ...ledger.table, add } }, session('new'), 'n');
	};

	it('those that were unused for longest go, and only chats of the account', async () => {
		const { ledger, rows } = await fill(0);
		expect(await addChat(ledger())).toEqual({ isOverfull: false });
		const own = rows.filter(({ state, credentialId }) => state === 'chat' && credentialId === 'a');
		expect([own.length, rows.length]).toEqual([MAX_CHATS, MAX_CHATS + 2]);
		for (const gone of ['s2', 's3', 's4']) expect(await idOf(ledger(), gone)).toBeUndefined();
		expect([await idOf(ledger(), 's1'), await idOf(ledger(), 's5')]).toEqual(['chat-1', 'chat-5']);
	});

	it.each([
		[403, true],
		[503, false],
	])(
		'stay where they cannot be deleted (%d); the answer is not lost',
		async (status, isOverfull) => {
			const remove = async () => {
				throw new ServiceError('refused', 'no', { status });
			};
			const { ledger, rows } = await fill(0, () => ({ remove }));
			expect(await addChat(ledger())).toEqual({ isOverfull });
			expect(rows).toHaveLength(MAX_CHATS + 5);
		},
	);

	it('they are not counted for every new chat', async () => {
		const { ledger, rows } = await fill(0.5);
		await addChat(ledger());
		expect(rows).toHaveLength(MAX_CHATS + 5);
	});
});

it.each(['', 'chat-1', '{"chatId":7}', '{"chatId":"of *** 1"}'])(
	'a row with %j is no chat',
	async (record) => {
		const { ledger, rows } = remembering();
		await rememberChat(ledger(), session('s'), 'chat-1');
		rows[0] = { ...rows[0]!, record };
		expect(await idOf(ledger(), 's')).toBeUndefined();
	},
);
