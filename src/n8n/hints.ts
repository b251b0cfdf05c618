import type { IExecuteFunctions } from 'n8n-workflow';

/** Gathers what the user should see beside the output: one line for a sentence, however many items it is said of. */
export function hintBoard(n8n: IExecuteFunctions) {
	const sentences = new Map<string, number>();
	return {
		add(sentence: string) {
			sentences.set(sentence, (sentences.get(sentence) ?? 0) + 1);
		},
		show() {
			for (const [sentence, count] of sentences) {
				const message = count > 1 ? `${count} items: ${sentence}` : sentence;
				n8n.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
			}
		},
	};
}
