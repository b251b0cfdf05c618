export const isEditing = (said: readonly string[]): boolean => /\byou edit\b/i.test(said[0] ?? '');

/** Leaves what a colleague has drafted as it is, and greets the customer. */
export function editor(said: readonly string[]): string {
	const draft = (said.at(-1) ?? '').split(/\n\n/).at(-1)?.trim() ?? '';
	return `Hello! ${draft} Kind regards, your support team`;
}
