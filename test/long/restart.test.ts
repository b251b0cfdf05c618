import { startService, type Service } from '../service/service.ts';
import { createAccounts, nodesFor, payingOperations, secretsOf } from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { startInstance, withoutPages, type Instance } from '../n8n/instance.ts';
import { workflow } from '../n8n/workflow.ts';

let service: Service;
let instance: Instance;
beforeAll(async () => {
	service = await startService();
	instance = await startInstance({
		tarball: process.env['AGENT_BRIDGE_TARBALL'],
		env: withoutPages,
	});
});
afterAll(async () => {
	await instance?.remove();
	await service?.stop();
});

it('after kill -9 the id of a started job is in the log, and nothing is started by itself', async () => {
	const generate = payingOperations.find(([name]) => name === 'modelRouter media generate')!;
	const { router } = nodesFor(await createAccounts(instance.editor, secretsOf(service)));
	const file = workflow(
		'killed',
		[{}],
		router('Node', generate[2], generate[3]('endless [[never]]')),
	);
	const saved = await instance.editor.importWorkflow(file);
	const id = await instance.editor.start(saved);
	await until('the job is waited for', () => service.requests.length >= 2);
	const { jobId } = service.world.starts[0]!;
	await until('the log names the job', () => instance.log().includes(jobId));

	await instance.restart('kill');
	expect(await instance.editor.workflows()).toMatchObject([{ id: saved.id, name: 'killed' }]);
	expect((await instance.editor.finished(id)).status).toBe('crashed');
	expect(service.starts('endless')).toBe(1);
});
