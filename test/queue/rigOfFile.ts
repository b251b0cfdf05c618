import { tellTests } from '../n8n/shared.ts';
import { startQueue, type Queue } from './queue.ts';

/**
 * The n8n of the test file that imports this. Tests of `test/n8n` that are imported after it run on it: they look for the n8n
 * that they share where this puts its address.
 */
export let queue: Queue;

beforeAll(async () => {
	queue = await startQueue({ workers: 3, webhookProcessor: true });
	tellTests(queue.main, queue.workers);
});
afterAll(async () => await queue?.stop());
