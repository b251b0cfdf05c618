import { nodesFor, originalFile, picture } from '../n8n/bridge.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import { ownOfFile } from './ownN8n.ts';

// n8n keeps files in its database, as in queue mode; its own limit is 512 MB there, and 1 MB here
const inDatabase = {
	N8N_DEFAULT_BINARY_DATA_MODE: 'database',
	N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE: '1',
};
const own = ownOfFile(inDatabase);

const generated = async (prompt: string) =>
	await own.editor.runOnce(
		workflow(
			'database',
			[{}],
			nodesFor(own.accounts).router(
				'Generate',
				['media', 'generate'],
				picture(prompt, { binaryProperty: 'data' }),
				{ onError: 'continueErrorOutput' },
			),
		),
	);

it('a file that fits is stored there whole', async () => {
	const [file] = itemsOf(await generated('small [[size:300000]]'), 'Generate');
	expect(file?.binary?.['data']?.id).toMatch(/^database:/);
	const bytes = await own.editor.bytesOf(file?.binary?.['data']);
	expect(bytes.equals(await originalFile(own.service, file!.json))).toBe(true);
});

it('one that n8n does not take is told with the id of its job and its cost, and not started again', async () => {
	const execution = await generated('large [[size:3000000]]');
	expect(execution.status).toBe('success');
	const [failed] = itemsOf(execution, 'Generate', 1);
	const { jobId } = own.service.world.starts.at(-1)!;
	expect(failed?.json).toMatchObject({
		error: expect.stringMatching(
			/^n8n could not store the file.*use Download File with the job ID/,
		),
		details: { jobId, partial: { cost: 40_000 }, reason: expect.stringMatching(/limit|size/i) },
	});
	expect(own.service.starts('large')).toBe(1);
	// it is still there for whoever asks
	expect(await originalFile(own.service, { mediaType: 'images', jobId })).toHaveLength(3_000_000);
});
