/** The link to a heading, as GitHub makes it. */
export const anchorOf = (title: string): string =>
	title
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
		.replaceAll(' ', '-');

export const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** JSON as Prettier writes it: short lists of values on one line. */
export function formatJson(value: unknown): string {
	const list = /\[\s+((?:"[^"]*"|[\d.]+)(?:,\s+(?:"[^"]*"|[\d.]+))*)\s+\]/g;
	return JSON.stringify(value, null, '\t').replace(
		list,
		(_all, inside: string) => `[${inside.replace(/\s*\n\s*/g, ' ')}]`,
	);
}
