/** Questions that two agents answer differently: the first entry is the first workspace's answer. */
const ADVICE: Array<{ asked: RegExp; answers: [string, string] }> = [
	{
		asked: /\bdelay\b/i,
		answers: [
			'1. Write today, before they ask. 2. Name the new day, and say that it is two days later. 3. Say in one sentence why. 4. Offer to cancel at no cost. 5. Write again on the new day.',
			'Send an apology, and wait with the new day until it is certain.',
		],
	},
	{
		asked: /\bfigures\b|\breport\b|\bkpis?\b/i,
		answers: [
			'That depends on who reads it. Revenue is never wrong, and people like to read about customers.',
			'1. Revenue of the week against the plan. 2. New customers, and those who left. 3. Orders that are open for more than 14 days. Put last week beside each of them.',
		],
	},
];

export const isAdvice = (said: readonly string[]): boolean =>
	/\?\s*$/.test(said.at(-1) ?? '') && ADVICE.some(({ asked }) => asked.test(said.at(-1) ?? ''));

/** Good advice of one workspace, and not so good advice of another. */
export function adviser(said: readonly string[], workspace: string): string {
	const found = ADVICE.find(({ asked }) => asked.test(said.at(-1) ?? ''));
	return found?.answers[workspace === 'ws-2' ? 1 : 0] ?? '';
}
