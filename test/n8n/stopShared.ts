import { holder } from './bootShared.ts';

/** jest's globalTeardown. */
export default async function stopShared(): Promise<void> {
	await holder.sharedN8n?.remove();
}
