import type { ToolCall } from '../../../src/assistant/toolCalls';

/** Characters of a title that are worth showing. */
const MAX_TITLE = 200;

/** Writes the tools between the words of an answer, each in a paragraph of its own. */
export function toolLines(live: (text: string) => Promise<void>) {
	let inText = false;
	return {
		async onText(text: string) {
			inText ||= text !== '';
			await live(text);
		},
		async onToolCall({ label }: ToolCall) {
			const title = label
				?.replace(/\s+/g, ' ')
				.trim()
				.slice(0, MAX_TITLE)
				.replace(/[.…]+$/, '');
			if (!title) return;
			await live(`${inText ? '\n\n' : ''}${title}…\n\n`);
			inText = false;
		},
	};
}
