import { otherThan, type Conversation } from './conversation';

export interface Message {
	role: 'user' | 'assistant';
	content: string;
}

/**
 * The conversation as the side sees it whose turn is under way: what it was told is the user's, what it said the assistant's.
 *
 * Of an earlier turn that does not say what the side was told, it is what the other side had said before.
 */
export function historyOf({ turns, pending }: Conversation): Message[] {
	if (!pending) return [];
	const told = turns.flatMap((turn, index): Message[] => {
		if (turn.side !== pending.side) return [];
		const before = turns[index - 1];
		const spoken = before?.side === otherThan(turn.side) ? before.text : '';
		return [
			{ role: 'user', content: turn.message ?? spoken },
			{ role: 'assistant', content: turn.text },
		];
	});
	return [...told, { role: 'user' as const, content: pending.message }].filter(({ content }) =>
		content.trim(),
	);
}
