import { writeFileSync } from 'node:fs';

import { type Load, simulateTexts } from '../explore/scale';
import type { Samples } from './row';

/** The load of the row "scale", which has measured how long n8n takes between two executions. */
const load = JSON.parse(process.env['AGENT_BRIDGE_LOAD'] ?? '{}') as Partial<Load>;

it('texts of a budget are paid from it, and recorded', async () => {
	const { figures, ...totals } = await simulateTexts(load);
	const { used } = figures;
	expect(totals).toMatchObject({
		overspent: 0,
		uncounted: 0,
		unrecorded: 0,
		reserved: 0,
		hints: [],
	});
	const sample = {
		'per second': used.texts / used.seconds,
		'to n8n': used.requests,
		'to n8n, 100 texts': (100 * used.requests) / used.texts,
		'added ms': figures['wait ms'],
		'added 95 % ms': figures['wait ms, 95 %'],
	};
	const samples: Samples = { simulated: [sample] };
	const file = process.env['AGENT_BRIDGE_SAMPLES'];
	if (file) writeFileSync(file, JSON.stringify(samples));
});
