/** Words at most in a sentence. */
export const MAX_WORDS = 25;

/** Words and forms that are not plain US English, with what to write. */
const WORDS: ReadonlyArray<[wrong: RegExp, right: string]> = [
	[/\b(colour|favour|behaviour|honour|neighbour|flavour)/i, 'the US form without u'],
	[
		/\b(organis|recognis|realis|optimis|initialis|normalis|serialis|summaris|minimis|maximis)/i,
		'the US form with z',
	],
	[/\b(cancelled|cancelling|labelled|modelled|travelled)\b/i, 'the US form with one l'],
	[/\b(licence|defence|offence)\b/i, 'the US form with s'],
	[/\b(centre|metre|theatre)\b/i, 'the US form with er'],
	[/\b(whilst|amongst|learnt|spelt|catalogue|programme|grey|analyse)\b/i, 'the US form'],
	[
		/\b(utilize|leverage|facilitate|commence|terminate|endeavor|aforementioned|henceforth)(s|d)?\b/,
		'a plain word',
	],
	[/\b(in order to|prior to|in the event that|due to the fact|for ever)\b/i, 'a shorter form'],
	[/\b(please|simply|easily|obviously|of course)\b/i, 'nothing'],
	[/\b(e-mail)\b/i, 'email'],
	[/\b(via|i\.e\.)(?=\s)/i, '"by" or "that is"'],
];

/** What makes a text hard to read: sentences that are too long, and words that are not plain. */
export function findHardToRead(text: string): string[] {
	const sentences = sentencesOf(text);
	return [
		...sentences
			.filter((sentence) => wordsOf(sentence).length > MAX_WORDS)
			.map((sentence) => `${wordsOf(sentence).length} words: ${sentence}`),
		...sentences.flatMap((sentence) =>
			WORDS.filter(([wrong]) => wrong.test(sentence)).map(
				([wrong, right]) => `"${wrong.exec(sentence)?.[0]}", write ${right}: ${sentence}`,
			),
		),
	];
}

/** The readable text of a Markdown page: no code, no addresses, no lists of bold names, one line per paragraph, cell and list entry. */
export function readableText(markdown: string): string {
	return markdown
		.replace(/```[^]*?```/g, '')
		.replace(/<!--[^]*?-->/g, '')
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/`[^`]*`/g, 'code')
		.replace(/\*\*[^*\n]+\*\*(, \*\*[^*\n]+\*\*)+/g, 'names')
		.replace(/\|/g, '\n')
		.replace(/\\([*_<])/g, '$1')
		.replace(/\*\*|(?<=[\s(])_|_(?=[\s.,;)])/g, '');
}

/** A colon ends no sentence, a semicolon and a line do. */
const sentencesOf = (text: string) =>
	text
		.split(/\n+|;\s|(?<=[.!?…]["')]?)\s+(?=["'(]?[A-Z\d…{$n])/)
		.map((sentence) => sentence.replace(/^[\s#>-]+/, '').trim())
		.filter(Boolean);

const wordsOf = (sentence: string) =>
	sentence.split(/[\s/]+/).filter((word) => /[A-Za-z\d]/.test(word));
