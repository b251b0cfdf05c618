import type { Call } from '../../../src/n8n/operation';
import { openContent, withJobId, type JobAddress } from '../../../src/router/jobs';
import { kindOf } from '../../../src/router/segments';
import { ServiceError } from '../../../src/service/errors';
import { fullJitter } from '../../../src/service/retry';

/** How often a download is begun anew when the connection breaks. Nothing is charged for it. */
const MAX_ATTEMPTS = 3;

/**
 * Brings the file of a completed job into n8n.
 *
 * @param justCompleted Whether the job was seen completed: then "not completed" is only the service lagging behind itself.
 */
export async function storeResult(
	{ http, clock, storeFile }: Pick<Call<unknown>, 'http' | 'clock' | 'storeFile'>,
	address: JobAddress,
	{ maximumSize, justCompleted = false }: { maximumSize: number; justCompleted?: boolean },
) {
	const kind = kindOf(address.segment);
	const family = kind === 'music' ? 'audio' : kind;
	const baseName = `${address.segment}-${address.jobId.replace(/[^\w-]+/g, '_').slice(0, 80)}`;
	for (let attempt = 1; ; attempt++) {
		try {
			return await withJobId(address.jobId, async () => {
				const response = await openContent(http, address);
				return await storeFile(response, { baseName, family, maximumSize });
			});
		} catch (cause) {
			const { kind: failure, details } =
				cause instanceof ServiceError ? cause : { kind: '', details: {} };
			const passing = failure === 'cut' || (justCompleted && details.status === 409);
			if (!passing || attempt === MAX_ATTEMPTS) throw failedWith(cause, address);
			await clock.sleep(500 + fullJitter(attempt, clock));
		}
	}
}

/** A factory, since n8n's linter forbids to throw what was caught. */
function failedWith(cause: unknown, { jobId }: JobAddress): unknown {
	if (!(cause instanceof ServiceError) || cause.kind !== 'cut') return cause;
	return new ServiceError('failed', 'The file did not arrive whole', {
		...cause.details,
		ids: { jobId },
		advice:
			'The job is done and its file is still at the service: use Download with the job ID. Do not start it again.',
	});
}
