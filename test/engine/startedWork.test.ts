import { startService, type Service } from '../service/service';
import { job, secretsOf } from './rig/calls';
import { run } from './rig/run';

// a run that ends with an error keeps no items: its error has to tell what was started
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const startAll = async (prompts: string[]) =>
	await run({
		...job('start', {
			mediaType: 'images',
			model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
			prompt: '={{ $json.prompt }}',
			requestSettings: { concurrency: 1 },
		}),
		items: prompts.map((prompt) => ({ prompt })),
		secrets: secretsOf(service),
	});

it('the ids of all jobs that were started are in the error', async () => {
	service.fault({
		match: { method: 'POST', bodyIncludes: 'refused' },
		do: { type: 'status', status: 422 },
	});
	const { error } = await startAll([...Array.from({ length: 40 }, (_, i) => `p${i}`), 'refused']);
	const started = service.world.starts.map(({ jobId }) => jobId);
	expect(started).toHaveLength(40);
	expect(error?.context?.['metadata']).toMatchObject({
		outcome: 'not_started',
		started: { mediaJob: started },
	});
	expect(error).toMatchObject({
		description: expect.stringContaining('the service had started: 40 media jobs.'),
		context: { itemIndex: 40 },
	});
});

it('an error before anything was started says nothing of it', async () => {
	service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 422 } });
	const { error } = await startAll(['refused']);
	expect(error?.context?.['metadata']).not.toHaveProperty('started');
	expect(error?.description).not.toContain('had started');
});
