import { createWithLedger, nodesFor, openBridge, secretsOf, type Bridge } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import type { Queue } from './queue.ts';

/** What the callers and the service have seen of questions that were asked at once. */
interface Asked {
	/** the state of each execution, and how many answers it has */
	answered: Array<[string, number]>;
	/** how many workers took part */
	workers: number;
	accepted: number;
	refused: number;
	/** from the first to the last that was accepted */
	seconds: number;
}

/**
 * The rate limit of Crypto Q&A, over all workers; the service counts. Asking takes minutes, and almost nothing of
 * the machine: it begins with the first test of the file, and goes on beside the others.
 */
export function rateLimitCases(queueOfFile: () => Queue): void {
	let queue: Queue;
	/** Where the limit is shared. */
	let together: Bridge;
	/** Where the workers know nothing of each other. */
	let apart: Bridge;
	let alone: Promise<Asked>;
	let atOnce: Promise<Asked>;
	let withoutLedger: Promise<Asked>;

	beforeAll(async () => {
		queue = queueOfFile();
		together = await openBridge({}, queue.editor);
		apart = await openBridge({}, queue.editor);
		Object.assign(apart.service.forms, { rateWindow: 'bucket', enterpriseLimit: 60 });
		const sharing = await accountAt(together, { plan: 'pro', shareLimit: true });
		const own = await accountAt(apart, {
			apiKey: apart.service.assistant.keys.enterprise,
			...{ plan: 'custom', requestsPerMinute: 60 },
		});
		// the first execution creates the table of the limit
		alone = ask(together, sharing, 1, 120);
		atOnce = alone.then(async () => await ask(together, sharing, 3, 40));
		withoutLedger = ask(apart, own, 3, 30);
		// they are looked at in their tests
		for (const asked of [alone, atOnce, withoutLedger]) asked.catch(() => undefined);
	});
	afterAll(async () => {
		await together?.service.stop();
		await apart?.service.stop();
	});

	const accountAt = async ({ service }: Bridge, fields: Record<string, unknown>) =>
		await createWithLedger(queue.editor, secretsOf(service).assistant, fields);

	/** Runs so many executions at once, each with so many questions. */
	async function ask(
		{ accounts, service }: Bridge,
		account: SavedCredential,
		executions: number,
		questions: number,
	): Promise<Asked> {
		const before = service.requests.length;
		const { assistant } = nodesFor({ ...accounts, assistant: account });
		const items = Array.from({ length: questions }, (_, index) => ({ q: `question ${index}` }));
		const node = assistant('Ask', ['question', 'ask'], { question: '={{ $json.q }}' });
		const saved = await queue.editor.importWorkflow(workflow('questions', items, node));
		const started = Array.from({ length: executions }, () => queue.editor.start(saved));
		const ids = await Promise.all(started);
		const answered: Asked['answered'] = [];
		for (const id of ids) {
			const execution = await queue.editor.finished(id, 300);
			answered.push([execution.status, itemsOf(execution, 'Ask').length]);
		}
		const posts = service.requests.slice(before).filter(({ method }) => method === 'POST');
		const accepted = posts.filter(({ status }) => status === 200).map(({ at }) => at);
		return {
			answered,
			workers: new Set(ids.flatMap((id) => queue.workersOf(id))).size,
			accepted: accepted.length,
			refused: posts.length - accepted.length,
			seconds: ((accepted.at(-1) ?? 0) - (accepted[0] ?? 0)) / 1000,
		};
	}

	describe('the rate limit of Crypto Q&A, over three workers', () => {
		it('one execution on one of them gets the whole limit, and none is refused', async () => {
			const { answered, accepted, refused, seconds } = await alone;
			expect(answered).toEqual([['success', 120]]);
			expect([accepted, refused]).toEqual([120, 0]);
			// 25.6 s at 90 % of 300 a minute, after five at once; the third of one worker would take 80 s
			expect(seconds).toBeGreaterThan(24);
			expect(seconds).toBeLessThan(60);
		});

		it('three executions at once stay below the limit together', async () => {
			const { answered, accepted, refused, seconds, workers } = await atOnce;
			expect(answered).toEqual(Array.from({ length: 3 }, () => ['success', 40]));
			expect([accepted, refused]).toEqual([120, 0]);
			expect(workers).toBeGreaterThan(1);
			// at 90 % of 300 a minute, after five at once, and not a second earlier than reserved; each with the whole limit needs 9 s
			expect(seconds).toBeGreaterThan(22);
			expect(seconds).toBeLessThan(60);
		});

		it('without the ledger, each worker is refused about once a minute, and nothing fails', async () => {
			const { answered, accepted, refused, seconds, workers } = await withoutLedger;
			expect(answered).toEqual(Array.from({ length: 3 }, () => ['success', 30]));
			expect(accepted).toBe(90);
			// about one for each worker, and one more where requests were on their way together
			expect(refused).toBeLessThanOrEqual(2 * workers);
			// a bucket has 60 at first, and 30 more take half a minute
			expect(seconds).toBeLessThan(2 * 90);
		});
	});
}
