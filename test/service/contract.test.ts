import { AGENT, ASSISTANT } from './contract/agentAndAssistant.ts';
import { ask } from './contract/ask.ts';
import { CATALOG } from './contract/catalog.ts';
import { JOBS } from './contract/jobs.ts';
import { REFUSALS } from './contract/refusals.ts';
import { RESPONSES } from './contract/responses.ts';
import { ANSWERS } from './contract/texts.ts';
import { startService, type Service } from './service.ts';

// the specification as a table: a request, and what must be in its answer
let service: Service;
beforeAll(async () => (service = await startService({ now: () => 0 })));
beforeEach(() => service.reset());
afterAll(() => service.stop());

describe.each([
	['A: agent messaging', AGENT],
	['B: the market assistant', ASSISTANT],
	['C: the catalog', CATALOG],
	['C: texts', ANSWERS],
	['C: responses', RESPONSES],
	['C: refusals', REFUSALS],
	['C: jobs', JOBS],
])('%s', (_section, rows) => {
	it.each(rows)('%j', async (request, expected) => {
		expect(await ask(service, request)).toMatchObject({ status: expect.any(Number), ...expected });
	});
});
