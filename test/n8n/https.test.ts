import { startService, type Service } from '../service/service.ts';
import type { Editor } from './editor.ts';
import { createAccounts, nodesFor, payingOperations, secretsOf, type Secrets } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { sharedEditor, trustedService } from './shared.ts';
import { workflow } from './workflow.ts';

// the shared n8n was started with the authority of one service; it knows nothing of another service's
let editor: Editor;
let stranger: Service;
beforeAll(async () => {
	editor = await sharedEditor();
	stranger = await startService({ https: true });
});
afterAll(async () => await stranger.stop());

/** Good credentials, but for another address of the same service. */
function movedTo(origin: string): Secrets {
	const secrets = structuredClone(secretsOf(stranger));
	for (const { data } of Object.values(secrets) as Array<Secrets['agent']>) {
		data['baseUrl'] = String(data['baseUrl']).replace(stranger.url, origin);
	}
	return secrets;
}

describe.each(['agent', 'assistant', 'router'] as const)('%s', (type) => {
	const send = payingOperations.find((paying) => paying[1] === type)!;
	const run = async (secrets: Secrets) => {
		const accounts = await createAccounts(editor, secrets);
		const file = workflow(
			'https',
			[{}],
			nodesFor(accounts)[type]('Node', send[2], send[3]('hello')),
		);
		return {
			tested: await editor.testCredential(accounts[type]),
			execution: await editor.runOnce(file),
		};
	};

	it('is reached over https with an authority that n8n was told to trust', async () => {
		const { tested, execution } = await run(movedTo(trustedService()));
		expect(tested.status).toBe('OK');
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'Node')[0]?.json['output']).toContain('hello');
	});

	it('is not reached over https with an authority that n8n does not know', async () => {
		const { tested, execution } = await run(movedTo(stranger.httpsUrl));
		expect(tested).toMatchObject({ status: 'Error' });
		expect(execution.status).toBe('error');
		expect(`${execution.error?.message} ${execution.error?.description}`).toMatch(/certificate/i);
		expect(stranger.requests).toEqual([]);
	});
});
