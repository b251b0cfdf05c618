import { randomUUID } from 'node:crypto';

import { nodesFor, openBridge, secretsOf, type Bridge } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import type { Queue } from './queue.ts';

/** The rate limit of the Market Assistant, over three workers; the service counts. */
export function rateLimitCases(queueOfFile: () => Queue): void {
	describe('the rate limit of the Market Assistant, over three workers', () => {
		let queue: Queue;
		let bridge: Bridge;
		/** Shares the limit. The first execution that uses it creates its table. */
		let sharing: SavedCredential;
		/** Workers that know nothing of each other, at a service of their own. It takes minutes, and almost nothing of the machine. */
		let apart: { bridge: Bridge; asked: ReturnType<typeof ask> };
		beforeAll(async () => {
			queue = queueOfFile();
			await queue.addWorker();
			bridge = await openBridge({}, queue.editor);
			sharing = await accountAt(bridge, { plan: 'pro', shareLimit: true });
			apart = await askApart();
		});
		beforeEach(() => bridge.service.reset());
		afterAll(async () => {
			await bridge?.service.stop();
			await apart?.bridge.service.stop();
		});

		async function accountAt({ service }: Bridge, fields: Record<string, unknown>) {
			const { data, ...assistant } = secretsOf(service).assistant;
			const ledger = {
				...{ useJobLedger: true, n8nUrl: queue.main.url, n8nApiKey: queue.apiKey },
				ledgerTable: `Limits ${randomUUID()}`,
			};
			return await queue.editor.createCredential({
				...assistant,
				data: { ...data, ...ledger, ...fields },
			});
		}

		async function askApart(): Promise<typeof apart> {
			const other = await openBridge({}, queue.editor);
			Object.assign(other.service.forms, { rateWindow: 'bucket', enterpriseLimit: 60 });
			const account = await accountAt(other, {
				apiKey: other.service.assistant.keys.enterprise,
				...{ plan: 'custom', requestsPerMinute: 60 },
			});
			const asked = ask(other, account, 3, 40);
			// it is looked at in its test
			asked.catch(() => undefined);
			return { bridge: other, asked };
		}

		/** Runs so many executions at once, each with so many questions. */
		async function ask(
			{ accounts, service }: Bridge,
			account: SavedCredential,
			executions: number,
			questions: number,
		) {
			const { assistant } = nodesFor({ ...accounts, assistant: account });
			const items = Array.from({ length: questions }, (_, index) => ({ q: `question ${index}` }));
			const node = assistant('Ask', ['question', 'ask'], { question: '={{ $json.q }}' });
			const saved = await queue.editor.importWorkflow(workflow('questions', items, node));
			const started = Array.from({ length: executions }, () => queue.editor.start(saved));
			const ids = await Promise.all(started);
			const answered = [];
			for (const id of ids) {
				const execution = await queue.editor.finished(id, 300);
				answered.push([execution.status, itemsOf(execution, 'Ask').length]);
			}
			const posts = service.requests.filter(({ method }) => method === 'POST');
			const accepted = posts.filter(({ status }) => status === 200).map(({ at }) => at);
			return {
				answered,
				workers: new Set(ids.flatMap((id) => queue.workersOf(id))).size,
				accepted: accepted.length,
				refused: posts.length - accepted.length,
				seconds: ((accepted.at(-1) ?? 0) - (accepted[0] ?? 0)) / 1000,
			};
		}

		it('one execution on one of them gets the whole limit, and none is refused', async () => {
			const { answered, accepted, refused, seconds } = await ask(bridge, sharing, 1, 120);
			expect(answered).toEqual([['success', 120]]);
			expect([accepted, refused]).toEqual([120, 0]);
			// 25.6 s at 90 % of 300 a minute, after five at once; the third of one worker would take 80 s
			expect(seconds).toBeGreaterThan(24);
			expect(seconds).toBeLessThan(60);
		});

		it('three executions at once stay below the limit together', async () => {
			const { answered, accepted, refused, seconds } = await ask(bridge, sharing, 3, 40);
			expect(answered).toEqual(Array.from({ length: 3 }, () => ['success', 40]));
			expect([accepted, refused]).toEqual([120, 0]);
			// three workers that each use the whole limit would be done after 9 s
			expect(seconds).toBeGreaterThan(18);
			expect(seconds).toBeLessThan(60);
		});

		it('without the ledger, each worker finds its share, and nothing fails', async () => {
			const { answered, accepted, refused, workers } = await apart.asked;
			expect(answered).toEqual(Array.from({ length: 3 }, () => ['success', 40]));
			expect(accepted).toBe(120);
			// about one for each worker, and one more where requests were on their way together
			expect(refused).toBeLessThanOrEqual(3 * workers);
		});
	});
}
