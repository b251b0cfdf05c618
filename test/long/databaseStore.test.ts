import { createAccounts, model, nodesFor, secretsOf } from '../n8n/bridge.ts';
import { itemsOf } from '../n8n/execution.ts';
import { startInstance, withoutPages, type Instance } from '../n8n/instance.ts';
import { originalFile } from '../n8n/originalFile.ts';
import { workflow } from '../n8n/workflow.ts';
import { startService, type Service } from '../service/service.ts';

// n8n keeps files in its database, as in queue mode; its own limit is 512 MB there, and 1 MB here
let service: Service;
let instance: Instance;
let router: ReturnType<typeof nodesFor>['router'];
beforeAll(async () => {
	service = await startService();
	instance = await startInstance({
		tarball: process.env['AGENT_BRIDGE_TARBALL'],
		env: {
			...withoutPages,
			N8N_DEFAULT_BINARY_DATA_MODE: 'database',
			N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE: '1',
		},
	});
	({ router } = nodesFor(await createAccounts(instance.editor, secretsOf(service))));
});
afterAll(async () => {
	await instance?.remove();
	await service?.stop();
});

const generated = async (prompt: string) =>
	await instance.editor.runOnce(
		workflow(
			'database',
			[{}],
			router(
				'Generate',
				['media', 'generate'],
				{ mediaType: 'images', model: model('canvas/sketch-1'), prompt, binaryProperty: 'data' },
				{ onError: 'continueErrorOutput' },
			),
		),
	);

it('a file that fits is stored there whole', async () => {
	const [file] = itemsOf(await generated('small [[size:300000]]'), 'Generate');
	expect(file?.binary?.['data']?.id).toMatch(/^database:/);
	const bytes = await instance.editor.bytesOf(file?.binary?.['data']);
	expect(bytes.equals(await originalFile(service, file!.json))).toBe(true);
});

it('one that n8n does not take is told with the id of its job and its cost, and not started again', async () => {
	const execution = await generated('large [[size:3000000]]');
	expect(execution.status).toBe('success');
	const [failed] = itemsOf(execution, 'Generate', 1);
	const { jobId } = service.world.starts.at(-1)!;
	expect(failed?.json).toMatchObject({
		error: expect.stringMatching(
			/^n8n could not store the file.*use Download File with the job ID/,
		),
		details: { jobId, partial: { cost: 40_000 }, reason: expect.stringMatching(/limit|size/i) },
	});
	expect(service.starts('large')).toBe(1);
	// it is still there for whoever asks
	expect(await originalFile(service, { mediaType: 'images', jobId })).toHaveLength(3_000_000);
});
