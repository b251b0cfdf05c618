import type { Connection } from '../../../src/n8n/connection';
import type { Poll } from '../../../src/n8n/guardedPoll';
import type { Redactor } from '../../../src/n8n/redact';
import type { Ledger } from '../../../src/ledger/ledger';
import { watchJobs, type Handover } from '../../../src/ledger/watch';
import type { Wish } from '../../../src/ledger/watching';
import { readJob } from '../../../src/router/jobs';
import { listModels } from '../../../src/router/models';
import type { Segment } from '../../../src/router/segments';
import { explained, ServiceError } from '../../../src/service/errors';
import { keptRecord } from './jobItem';
import type { TriggerSettings } from './trigger.params';

/** Status requests at the same time. */
const CONCURRENCY = 8;
/** Milliseconds for which the service keeps a file at most. */
const RETENTION = 7 * 24 * 3_600_000;

/** Finds and claims the jobs that are to start an execution. */
export async function watchedJobs(
	ledger: Ledger,
	{ httpOnce, credentialId }: Connection,
	settings: TriggerSettings,
	{ time, redact }: Poll,
	claim: string,
): Promise<Handover> {
	const { label, mostJobs, lease } = settings;
	return await watchJobs(
		ledger,
		{
			...{ label, mostJobs, lease, ...time },
			account: credentialId,
			wishes: wishesOf(settings),
			concurrency: CONCURRENCY,
			async ask(entry) {
				const { jobId, segment } = entry;
				const address = { jobId, segment: segment as Segment };
				const job = await readJob(httpOnce, address).catch((cause: unknown) => {
					throw explained(cause, (error) => redacted(error, redact));
				});
				const record = redact.data(job.record);
				return { outcome: job.state, record: keptRecord({ ...job, record }, entry) };
			},
			checkAlive: async () => await listModels(httpOnce),
		},
		claim,
	);
}

/** The ledger keeps what the service said of a job that makes trouble. */
function redacted({ kind, message, details }: ServiceError, redact: Redactor): ServiceError {
	const { reason, advice, code, requestId, ...rest } = details;
	const words = Object.entries({ reason, advice, code, requestId }).filter(([, text]) => text);
	return new ServiceError(kind, redact.text(message), {
		...rest,
		...redact.texts(Object.fromEntries(words)),
	});
}

/** Who only wants to hear of files that are gone is handed jobs that nobody has taken for so long. */
export function wishesOf({ wants }: Pick<TriggerSettings, 'wants'>): Wish[] {
	const wishes: Wish[] = [];
	if (wants('mediaJobCompleted')) wishes.push({ outcome: 'completed', minimumAge: 0 });
	else if (wants('mediaContentExpired'))
		wishes.push({ outcome: 'completed', minimumAge: RETENTION });
	if (wants('mediaJobFailed'))
		wishes.push({ outcome: 'failed', minimumAge: 0 }, { outcome: 'lost', minimumAge: 0 });
	return wishes;
}
