import { readFileSync } from 'node:fs';

import { transitions, type Transition } from '../../src/ledger/transitions';

it('the documentation draws the states of a ledger row as they are', () => {
	const text = readFileSync('docs/architecture.md', 'utf8');
	const [, drawn] =
		/<!-- ledger-states:begin -->\n([^]*?)\n<!-- ledger-states:end -->/.exec(text) ?? [];
	// where it differs, copy what is expected here between the markers
	expect(drawn?.trim()).toBe(drawLedgerStates());
});

/**
 * Draws the states of a ledger row.
 *
 * @returns Mermaid text, in a fence of Markdown: one arrow from each state to each other, with the transitions that take it.
 */
function drawLedgerStates() {
	const arrows = new Map<string, string[]>();
	for (const [name, transition] of Object.entries<Transition>(transitions)) {
		const { from, to } = transition;
		const target = to === 'deleted' ? '[*]' : to;
		for (const source of from === 'new' ? ['[*]'] : from) {
			const arrow = `${source} --> ${target}`;
			arrows.set(arrow, [...(arrows.get(arrow) ?? []), name]);
		}
	}
	const lines = [...arrows].map(([arrow, names]) => `    ${arrow}: ${names.join(', ')}`);
	return ['```mermaid', 'stateDiagram-v2', ...lines, '```'].join('\n');
}
