/**
 * Fields that ask for the format of a file: `response_format` of speech, and `output_format` of pictures and, as in mp3_44100_128, of speech.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createSpeech and .../images/create
 * @see https://elevenlabs.io/docs/api-reference/text-to-speech/convert
 */
const FIELDS = ['response_format', 'output_format'];

/** Formats whose name, or a part of it, is in the type of their files. */
const TYPES: Record<string, string> = {
	flac: 'flac',
	jpeg: 'jpeg',
	jpg: 'jpeg',
	mp3: 'mpeg',
	png: 'png',
	wav: 'wav',
	webp: 'webp',
};

/** A sentence about a file that has another format than the request asks for: models ignore what they do not know. */
export function describeOtherFormat(
	body: Record<string, unknown>,
	mimeType: unknown,
): string | undefined {
	if (typeof mimeType !== 'string') return undefined;
	for (const field of FIELDS) {
		const asked = String(body[field] ?? '').toLowerCase();
		const type = TYPES[asked.split('_')[0] ?? ''];
		if (type && !mimeType.includes(type))
			return `${field} asks for "${asked}", but the file is ${mimeType}: the model has chosen the format. Look at file.mimeType before you use the file.`;
	}
	return undefined;
}
