/**
 * What a message tells the service to do, written `[[name]]` or `[[name:value]]`,
 * for example `[[words:500]]`.
 */
export function directivesOf(text: string): Map<string, string> {
	const found = new Map<string, string>();
	for (const [, name = '', value = ''] of text.matchAll(/\[\[([a-z_]+)(?::([^\]]*))?\]\]/g)) {
		found.set(name, value);
	}
	return found;
}

/** A directive's number, or undefined when it is absent or none. */
export function numberIn(directives: Map<string, string>, name: string): number | undefined {
	const value = Number(directives.get(name) || NaN);
	return Number.isFinite(value) ? value : undefined;
}

/** Cuts a text into words, each with the blank after it: joined they give the text again. */
export const wordsOf = (text: string): string[] => text.match(/^\s+|\S+\s*/g) ?? [];
