import type { Rules, Turn } from '../../../src/bridge/conversation';

/** Rules under which two speakers exchange six answers. */
export const rulesWith = (more: Partial<Rules> = {}): Rules => ({
	opening: 'Hello',
	startsWith: 'first',
	names: { first: 'Ada', second: 'Bob' },
	instructions: { first: '', second: '' },
	relayTemplate: '{message}',
	turnLimit: 6,
	stopPhrase: '',
	stopPattern: '',
	removeStop: false,
	answerField: '',
	...more,
});

/** Gives `id-1`, `id-2`, … */
export function counted(): () => string {
	let made = 0;
	return () => `id-${++made}`;
}

/** An earlier turn as somebody else would write it. */
export const said = (side: Turn['side'], text: string, more: Partial<Turn> = {}): Turn => ({
	turn: 1,
	side,
	speaker: side === 'first' ? 'Ada' : 'Bob',
	text,
	...more,
});
