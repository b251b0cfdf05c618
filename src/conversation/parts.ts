import { cutText } from '../core/errors';

/** A part of a message or of a transcript. */
export interface Part {
	text: string;
	/** Whose name it begins with. */
	speaker?: string;
}

export const join = (parts: readonly Part[]) => parts.map(({ text }) => text).join(BETWEEN);

const BETWEEN = '\n\n';

/**
 * A line that begins like the turn of another speaker becomes a quote: nobody speaks for others. A line of JSON is none.
 *
 * @param speaker Absent for an opening, which a stranger may have written.
 */
export function toNamed(
	speaker: string | undefined,
	text: string,
	speakers: readonly string[],
): Part {
	const others = speakers.filter((name) => name !== speaker);
	const names = others.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
	const turn = new RegExp(
		`(?<=[\n\r\u2028])(?!${JSON_LINE})(?=${NO_WORD}(?:${names})${NO_WORD}[:：])`,
		'giu',
	);
	if (speaker !== undefined) return { speaker, text: `${speaker}: ${text.replace(turn, '> ')}` };
	return { text: `\n${text}`.replace(turn, '> ').slice(1) };
}

const NO_WORD = '[^\\p{L}\\p{N}_\n]{0,20}';
const JSON_LINE = '[ \\t]*"[^"\n]+": ?(?:["[{\\d-]|true|false|null)';

/** Maximum characters of a message to a speaker, without its instruction. */
export const MAX_CHARACTERS = 100_000;

/** The end, if it is too long. It begins with the name of the speaker whose text is cut: nobody speaks for others. */
export function cutParts(parts: readonly Part[]) {
	const whole = join(parts);
	const text = cutText(whole, -MAX_CHARACTERS);
	const omitted = whole.length - text.length;
	let end = -BETWEEN.length;
	let start = 0;
	const cut = parts.find((part) => {
		start = end + BETWEEN.length;
		end = start + part.text.length;
		return end > omitted;
	});
	return { text: omitted > start && cut?.speaker ? `${cut.speaker}: ${text}` : text, omitted };
}
