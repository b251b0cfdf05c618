import { tryParseJson } from '../../../src/service/json';

export type StructuredReader = (
	text: string,
) => { parsed: unknown } | { place: string; reason: string };

interface Format {
	answerFormat: 'text' | 'json' | 'schema';
	schema: Record<string, unknown>;
}

/** What reads an answer of the format; nothing for plain text. */
export function readerOf({ answerFormat }: Format): StructuredReader | undefined {
	if (answerFormat === 'text') return undefined;
	return (text) => {
		const parsed = tryParseJson(text);
		return parsed === undefined ? { place: 'x', reason: 'y' } : { parsed };
	};
}
