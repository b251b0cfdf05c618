import { rmSync } from 'node:fs';
import { holder } from './bootShared.ts';

/** jest's globalTeardown. */
export default async function stopShared(): Promise<void> {
	if (!holder.shared) return;
	const { instance, service, folder } = holder.shared;
	await instance.remove();
	await service.stop();
	rmSync(folder, { recursive: true, force: true });
}
