import type { IExecuteFunctions } from 'n8n-workflow';

import { escapeHtml } from './errorMessages';
import type { Redactor } from './redact';

/** Shows a sentence next to the output. It may have a service's words, and the editor renders it as HTML. */
export function addHint(n8n: Pick<IExecuteFunctions, 'addExecutionHints'>, message: string): void {
	n8n.addExecutionHints({ message: escapeHtml(message), type: 'warning', location: 'outputPane' });
}

/**
 * Collects hints that n8n shows next to the output: one line per sentence, for any number of items. n8n stores them with the
 * execution.
 */
export function createHintCollector(n8n: IExecuteFunctions, redact: Pick<Redactor, 'text'>) {
	const sentences = new Map<string, number>();
	return {
		add(hint: string) {
			const sentence = redact.text(hint);
			sentences.set(sentence, (sentences.get(sentence) ?? 0) + 1);
		},
		show() {
			for (const [sentence, count] of sentences)
				addHint(n8n, count > 1 ? `${count} items: ${sentence}` : sentence);
		},
	};
}
