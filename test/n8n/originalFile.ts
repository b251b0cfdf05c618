import type { Service } from '../service/service.ts';

/** The bytes of a job's file as the service itself gives them. */
export async function originalFile(
	{ url, router }: Service,
	{ mediaType, jobId }: Record<string, unknown>,
): Promise<Buffer> {
	const path = `/v1/${String(mediaType)}/jobs/${encodeURIComponent(String(jobId))}/content`;
	const answer = await fetch(url + path, { headers: { 'X-API-KEY': router.keys.main } });
	if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
	return Buffer.from(await answer.arrayBuffer());
}
