import { readFileSync } from 'node:fs';

import { drawLedgerStates } from './ledgerDiagram';

it('the documentation draws the states of a ledger row as they are', () => {
	const text = readFileSync('docs/architecture.md', 'utf8');
	const [, drawn] =
		/<!-- ledger-states:begin -->\n([^]*?)\n<!-- ledger-states:end -->/.exec(text) ?? [];
	// where it differs, copy what is expected here between the markers
	expect(drawn?.trim()).toBe(drawLedgerStates());
});
