import {
	type Caps,
	checkCaps,
	createCap,
	emptySpending,
	reserve,
	type Spending,
} from '../../../src/core/budget';
import { mapServiceError } from '../../../src/core/errors';
import { type Decimal, readInteger } from '../../../src/core/money';
import type { OperationContext, PreflightContext } from '../../../src/n8n/operation';
import type { SendAttempts } from '../../../src/n8n/startPaid';
import { explainJobBalance } from '../../../src/router/advice';
import type { Job } from '../../../src/router/jobRecord';
import { addInputs, type JobInput, startJob } from '../../../src/router/jobStart';
import { checkKind, kindOfMediaType } from '../../../src/router/model';
import { minimumJobCost } from '../../../src/router/pricing';
import { checkAgainstCatalog, findCachedModel } from '../catalog';
import { spendingCapPerItemParam } from '../acrossResources.params';
import { toStartLedger, type StartedJob } from './jobLedger';
import { checkAgentAllowed, startOptions, type StartRequest } from './start.params';

/** Rejects AI agents without permission, missing files, models of another kind, and jobs whose minimum cost exceeds a cap or is not known. */
export async function checkStart({
	request: { mediaType, model, body, inputs, allowAgents, allowUnknownCost, ...caps },
	asTool,
	lookUp,
	findFile,
}: PreflightContext<StartRequest>): Promise<void> {
	checkAgentAllowed(asTool, allowAgents);
	for (const { binaryProperty, path } of inputs)
		if (binaryProperty !== undefined) findFile(binaryProperty, path);
	await checkAgainstCatalog({ lookUp }, model, (found) => {
		const entry = 'entry' in found ? found.entry : undefined;
		if (entry) checkKind(entry, kindOfMediaType(mediaType));
		const why = 'missing' in found ? found : { missing: NO_PRICE };
		const noBound = { unbounded: why.missing, remedy: why.remedy };
		const bound = minimumJobCost(entry?.pricing, body) ?? noBound;
		checkCaps(createCaps(caps), bound, allowUnknownCost);
	});
}

/** @param spending What the jobs of the execution cost. Without it, the caps apply to one job alone. */
function createCaps(
	{
		spendingCapPerItem: cap,
		spendingCapPerExecution,
	}: Pick<StartRequest, 'spendingCapPerItem' | 'spendingCapPerExecution'>,
	spending?: Spending,
): Caps {
	const item = createCap({ cap, field: spendingCapPerItemParam.displayName, of: 'item' });
	if (spendingCapPerExecution === undefined) return { item };
	const jobs = createCap({
		cap: spendingCapPerExecution,
		field: startOptions.spendingCapPerExecution.displayName,
		of: 'execution',
		...(spending && { spending }),
		needsCosts: true,
	});
	return { item, jobs };
}

/** Starts a job unless it was started before. With a cap per execution, starts run one after another, so that each knows the costs of the earlier ones. */
export async function startPaidJob(context: OperationContext<StartRequest>): Promise<StartedJob> {
	const { request, getState } = context;
	const { mediaType, model, spendingCapPerExecution, ledger } = request;
	const start = async () => {
		const body = await buildStartBody(context);
		// looked up before the start: the response must be recorded without delay
		const least = minimumJobCost((await findCachedModel(context, model))?.pricing, body);
		const caps = createCaps(request, getState('budget', emptySpending));
		return await context.startPaid<StartedJob>({
			request: { mediaType, body },
			...(ledger && { ledger: toStartLedger(context, ledger) }),
			reserve: async () => await reserve(caps, least ?? { unbounded: NO_PRICE }),
			costOf: (ended) => ('job' in ended ? readCost(ended.job, least?.microUsd) : undefined),
			send: async (attempts) => ({
				job: await sendStart(context, body, least?.microUsd, attempts),
			}),
		});
	};
	return spendingCapPerExecution === undefined ? await start() : await context.runSerially(start);
}

const NO_PRICE = 'the catalog has no price for this model';

/** What a started job costs: the service's estimate, or the catalog's minimum where that is more. A lower estimate would weaken a cap. */
function readCost({ estimatedCostMicroUsd }: Job, minimum: Decimal | undefined) {
	const estimate = readInteger(estimatedCostMicroUsd);
	if (!estimate?.gte(0)) return undefined;
	return minimum?.gt(estimate) ? minimum : estimate;
}

/** Sends a start and records its ID immediately. */
async function sendStart(
	{ request: { mediaType }, http, recordId, countInFlight }: OperationContext<StartRequest>,
	body: Record<string, unknown>,
	leastMicroUsd: Decimal | undefined,
	attempts: SendAttempts,
): Promise<Job> {
	try {
		const job = await startJob(http, mediaType, body, attempts);
		recordId('mediaJob', job.jobId);
		return job;
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			explainJobBalance(error, { leastMicroUsd, others: countInFlight() - 1 }),
		);
	}
}

async function buildStartBody({
	request: { body, inputs },
	readFile,
}: OperationContext<StartRequest>) {
	const jobInputs: JobInput[] = [];
	for (const { path, name, url, binaryProperty = '' } of inputs) {
		if (url !== undefined) {
			jobInputs.push({ name, value: url });
			continue;
		}
		const { mimeType, base64 } = await readFile(binaryProperty, path);
		jobInputs.push({ name, value: `data:${mimeType};base64,${base64}` });
	}
	return addInputs(body, jobInputs);
}
