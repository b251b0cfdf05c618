import { reportsError } from '../core/errorResponses';
import { isPlainObject } from '../core/json';
import { saysNotCompleted } from './jobRecord';
import { kindOfMediaType, type MediaType } from './model';

/**
 * The address of a job's file in what came in place of it. The specification has no such answer, but some services give one.
 *
 * A stranger may have written the prompt, and a record repeats it, with the inputs. So it must be the only address outside of what was
 * asked, every field around it must name a result, and nothing around it may say that the job failed or has not completed.
 */
export function findFileAddress(body: unknown, mediaType: MediaType): string | undefined {
	const found = [...listAddresses(body, [])];
	if (new Set(found.map(({ url }) => url)).size !== 1) return undefined;
	const isResult = ({ around }: Found) => {
		const [leaf, ...holders] = around.map(({ name }) => name).reverse();
		const mayHold = (name: string) => consistsOf(RESULT_HOLDER, name) || isMedia(name, mediaType);
		return leaf !== undefined && consistsOf(RESULT, leaf) && holders.every(mayHold);
	};
	const isDone = (holder: unknown) => !reportsError(holder) && !saysNotCompleted(holder);
	const address = found.find(isResult);
	const holders = [body, ...(address?.around ?? []).map(({ holder }) => holder)];
	return holders.every(isDone) ? address?.url : undefined;
}

interface Found {
	url: string;
	/** The fields around it, the outermost first, each with the object that has it. */
	around: ReadonlyArray<{ name: string; holder: object }>;
}

function* listAddresses(value: unknown, around: Found['around']): Generator<Found> {
	if (typeof value === 'string' && ADDRESS.test(value)) yield { url: value, around };
	if (Array.isArray(value)) for (const each of value) yield* listAddresses(each, around);
	if (!isPlainObject(value)) return;
	for (const [name, inner] of Object.entries(value))
		if (!wordsOf(name).some((word) => ASKED.test(word)))
			yield* listAddresses(inner, [...around, { name, holder: value }]);
}

const ADDRESS = /^https?:\/\/\S+$/i;

/** What names something that was asked for, and not what became of it. */
const ASKED = /^(prompt|input|request|metadata)s?$/;

/** What names a result, or its address. */
const RESULT = /^(url|uri|file|result|output|data|download)s?$/;
/** What names an object with a result in it. As a text, it may be what was asked for. */
const RESULT_HOLDER = /^(url|uri|file|result|output|data|download|content|job)s?$/;

const consistsOf = (words: RegExp, name: string) => {
	const own = wordsOf(name);
	return own.length > 0 && own.every((word) => words.test(word));
};

/** Whether a field is named after what the job makes. It may hold a file, but what is so named and is an address may be an input. */
const isMedia = (name: string, mediaType: MediaType) =>
	[mediaType, kindOfMediaType(mediaType)].some((each) => each === name.toLowerCase());

/** `downloadUrl` and `download_url` consist of two. */
const wordsOf = (name: string) =>
	(name.match(/\p{Lu}*[^\P{L}\p{Lu}]+|\p{Lu}+/gu) ?? []).map((word) => word.toLowerCase());
