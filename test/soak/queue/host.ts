import { secretsOf } from '../../n8n/bridge';
import { DataTables } from '../../n8n/dataTables';
import { noticeKilledWorkersSoon, startQueue, type Queue } from '../../queue/queue';
import type { Service } from '../../service/service';
import { openRows, type Rows } from './ledgerRows';
import { firstUseWorkflow, startWorkflow, triggerWorkflow, type Delivery } from './workflows';

/** An n8n in queue mode with the workflows of the soak, which are published. */
export interface Host {
	queue: Queue;
	rows: Rows;
	/** Where a call starts jobs. */
	addressOf(hasKeys: boolean): string;
	/** All that the processes of n8n have written. */
	logs(): string[];
	/** The highest id of an execution. */
	newestExecution(): Promise<number>;
}

/** A killed worker is noticed soon, and a busy one not taken for dead: the tests' 15 s are too short for it. */
const killedWorkers = { ...noticeKilledWorkersSoon, QUEUE_WORKER_LOCK_DURATION: '30000' };
/** Minutes between two looks for executions that are in no queue any more: n8n's default is 180. */
const forgottenExecutions = { N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1' };

export async function startHost(
	service: Service,
	recorder: string,
	{ workers, delivery }: { workers: number; delivery: Delivery },
): Promise<Host> {
	const env = { ...killedWorkers, ...forgottenExecutions };
	const queue = await startQueue({ workers, env });
	try {
		const { editor } = queue;
		const { data, ...router } = secretsOf(service).router;
		const ledger = { n8nUrl: queue.main.url, n8nApiKey: queue.apiKey, ledgerTable: 'Media Jobs' };
		const account = await editor.createCredential({
			...router,
			data: { ...data, useJobLedger: true, ...ledger },
		});
		await editor.runOnce(firstUseWorkflow(account));
		const tableId = await (await DataTables.of(editor)).idOf(ledger.ledgerTable);
		const files = [
			startWorkflow(account, 'with-keys', true),
			startWorkflow(account, 'without-keys', false),
			triggerWorkflow(account, recorder, delivery),
		];
		for (const file of files) await editor.activate(await editor.importWorkflow(file));
		return {
			queue,
			rows: openRows(queue.api, tableId),
			addressOf: (hasKeys) => `${queue.main.url}/webhook/${hasKeys ? 'with-keys' : 'without-keys'}`,
			logs: () => [queue.main, ...queue.workers].map((each) => each.wholeLog()),
			async newestExecution() {
				const { results } = await editor.call<{ results: Array<{ id: string }> }>(
					'GET',
					'/rest/executions',
				);
				return Math.max(0, ...results.map(({ id }) => Number(id)));
			},
		};
	} catch (error) {
		await queue.stop();
		throw error;
	}
}
