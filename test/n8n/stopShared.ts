import { rmSync } from 'node:fs';
import { Queue } from '../queue/queue.ts';
import { holder } from './bootShared.ts';

/** jest's globalTeardown. @throws when workers were to execute the tests' workflows, and one did nothing */
export default async function stopShared() {
	if (!holder.shared) return;
	const { n8n, service, folder } = holder.shared;
	const isQueue = n8n instanceof Queue;
	const counts = isQueue ? n8n.counts() : [];
	await (isQueue ? n8n.stop() : n8n.remove());
	await service.stop();
	rmSync(folder, { recursive: true, force: true });
	if (!isQueue) return;
	process.stdout.write(`Executions of the workers: ${counts.join(', ')}\n`);
	if (counts.includes(0)) throw new Error('a worker has executed nothing: the tests prove nothing');
}
