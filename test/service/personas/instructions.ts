import { NUMBER, numberFrom, sentencesOf } from './words.ts';

/** A text in the form that the system message asks for, or the question itself. */
export function asTold(text: string, system: string, question: string): string {
	const told = `${system}\n${question}`;
	const limit = new RegExp(
		String.raw`\b(?:in|at most|use)\s+(?:at most |only )?${NUMBER} sentences?\b`,
		'i',
	).exec(told)?.[1];
	const count = limit === undefined ? undefined : numberFrom(limit);
	const sentences = sentencesOf(text).slice(0, count);
	const body = /\b(as a list|bullet points?|bullets)\b/i.test(told)
		? sentences.map((sentence) => `- ${sentence}`).join('\n')
		: count === undefined
			? text
			: sentences.join(' ');
	const cased = /\b(in capitals|upper ?case|all caps)\b/i.test(told) ? body.toUpperCase() : body;
	const begin = phraseAfter(
		/\b(?:begin|start) (?:each |every |your |the )*(?:answers?|replies|reply) with/i,
		told,
	);
	const end = phraseAfter(
		/\b(?:end|finish|close) (?:each |every |your |the )*(?:answers?|replies|reply) with/i,
		told,
	);
	return [begin, cased, end].filter(Boolean).join(' ');
}

/** What stands in quotation marks behind some words, or up to the end of the sentence. */
function phraseAfter(words: RegExp, text: string): string | undefined {
	const behind = words.exec(text);
	if (!behind) return undefined;
	const rest = text.slice(behind.index + behind[0].length);
	const [, quoted, bare] = /^:?\s*(?:["“'‘]([^"”'’\n]+)["”'’]|([^.\n]+))/.exec(rest) ?? [];
	return quoted ?? bare?.trim();
}
