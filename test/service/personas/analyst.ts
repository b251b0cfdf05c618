import { capitalized, listed, stopPhraseOf } from './words.ts';

export const isAnalysis = (said: readonly string[]): boolean =>
	/\bquestion (a|the) market assistant\b/i.test(said[0] ?? '');

/** An agent that questions the market assistant, then sums up what it has learned. */
export function analyst(said: readonly string[]): string {
	const [task = '', answer] = [said[0], said.length > 1 ? said.at(-1) : undefined];
	const question = (task.split(/\n+/).at(-1) ?? '')
		.replace(/^\s*(please )?find out\s*/i, '')
		.trim();
	if (answer === undefined) {
		return `${capitalized(question.replace(/[.!]$/, '?'))} Please name each with its amount.`;
	}
	const stop = stopPhraseOf(said);
	const rows = [...answer.matchAll(/^\s*\d+\. (\S+)[^\d\n]*([\d,.]+\d) ([A-Z]{2,6})\b/gm)];
	if (!rows.length)
		return `This is what there is to know: ${answer.split('\n')[0] ?? ''} ${stop}`.trim();
	const amounts = rows.map(([, , amount = '']) => Number(amount.replaceAll(',', '')));
	const unit = rows[0]?.[3] ?? '';
	const total = amounts.reduce((sum, amount) => sum + amount, 0);
	const share = Math.round(((amounts[0] ?? 0) / total) * 100);
	return (
		`In sum: ${listed(rows.map(([, wallet]) => wallet ?? ''))} lead with ${total.toLocaleString('en-US')} ${unit} together. ` +
		`The first of them stands for ${share} % of it, so I would watch that one. ` +
		`The assistant marks these figures as invented, so nothing follows from them. ${stop}`
	).trim();
}
