const PLACEHOLDER = /\{(message|speaker|turn)\}/g;

/** Puts values into a template, once: what a value says is never a placeholder. */
export function fill(
	template: string,
	values: Record<'message' | 'speaker' | 'turn', string>,
): string {
	return template.replace(PLACEHOLDER, (_, name: keyof typeof values) => values[name]);
}

export const holdsMessage = (template: string): boolean => template.includes('{message}');
