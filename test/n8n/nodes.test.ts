import {
	bridgeOfFile,
	oneOfEachKind,
	payingOperations,
	type Bridge,
	type PayingOperation,
} from './bridge.ts';
import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import { onWorkers, sharedLog } from './shared.ts';
import { workflow } from './workflow.ts';

// what n8n itself does with an execution of our nodes: it is retried, it fails, it is stopped
const bridge = bridgeOfFile();

const named = (name: string) => payingOperations.find(([operation]) => operation === name)!;

/** Items with these texts, each sending its own through one operation. */
const fileOf = ({ accounts }: Bridge, [name, make]: PayingOperation, texts: string[]) =>
	workflow(
		name,
		texts.map((text) => ({ text })),
		make(accounts, '={{ $json.text }}'),
	);

const texts = ['item-one', 'item-two', 'item-three'];
const refuse = (text: string, times?: number) =>
	bridge.service.fault({
		match: { bodyIncludes: text },
		...(times && { times }),
		do: {
			type: 'status',
			status: 403,
			body: { detail: 'not this one', error: { code: 'not_allowed', message: 'not this one' } },
		},
	});

it.each(oneOfEachKind.map((operation, at) => [operation[0], at % 2 === 1, operation] as const))(
	'%s: "Retry" of the execution sends only the refused item (current workflow: %s)',
	async (_name, current, operation) => {
		// how many requests that may cost came with each item's text
		const received = () => texts.map((text) => bridge.service.received(text));
		// the last one fails: then the others are under way already, on the slowest machine
		refuse('item-three', 1);
		const failed = await bridge.editor.runOnce(fileOf(bridge, operation, texts));
		expect(failed.status).toBe('error');
		expect(received()).toEqual([1, 1, 1]);
		const retried = await bridge.editor.retryExecution(failed.id, current);
		expect(retried.error?.message).toBeUndefined();
		expect(retried).toMatchObject({ status: 'success', retryOf: failed.id });
		expect(itemsOf(retried, 'Node').map(({ pairedItem }) => pairedItem)).toEqual(
			texts.map((_text, item) => ({ item })),
		);
		expect(received()).toEqual([1, 1, 2]);
	},
);

describe('Stop', () => {
	const start = async (name: string, text: string) =>
		await bridge.editor.start(
			await bridge.editor.importWorkflow(fileOf(bridge, named(name), [text])),
		);

	it('closes the connection', async () => {
		const id = await start('router: chat', 'wait [[gate]] [[words:50]]');
		// a process that has not read the catalog yet does so first
		const sent = () => bridge.service.requests.filter(({ method }) => method === 'POST');
		await until('the request is answered', () => sent().length === 1);
		await bridge.editor.stopExecution(id);
		await until('the connection is closed', () => sent()[0]?.abandoned === true);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
		expect(sent()).toHaveLength(1);
	});

	it('ends the wait for a job and leaves its ID in the log and in the custom data', async () => {
		const id = await start('router: generate', 'endless [[never]]');
		await until('the job is waited for', () =>
			bridge.service.requests.some(({ method, path }) => method === 'GET' && /\/jobs\//.test(path)),
		);
		// also if n8n is killed now
		const line = `execution ${id}, mediaJob job-`;
		await until('its ID is logged', () => sharedLog().includes(line));
		await bridge.editor.stopExecution(id);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
		expect(bridge.service.starts('endless')).toBe(1);
		if (onWorkers()) return;
		// n8n says that it has ended before it has stored what it knows
		await until('the ID is stored', async () =>
			JSON.stringify((await bridge.editor.execution(id)).customData).includes('job-'),
		);
	});
});
