import { nodesFor, payingOperations } from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { workflow } from '../n8n/workflow.ts';
import { openOwn, type Own } from './ownN8n.ts';

let own: Own;
beforeAll(async () => void (own = await openOwn()));
afterAll(async () => await own?.stop());

it('after kill -9 the id of a started job is in the log, and nothing is started by itself', async () => {
	const generate = payingOperations.find(([name]) => name === 'modelRouter media generate')!;
	const { instance, service, accounts } = own;
	const { router } = nodesFor(accounts);
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
