import { mapServiceError, ServiceError } from '../../../src/core/errors';
import type { OperationContext, PreflightContext } from '../../../src/n8n/operation';
import type { SendAttempts } from '../../../src/n8n/startPaid';
import { isBalanceTooSmall, explainJobBalance } from '../../../src/router/advice';
import type { Job } from '../../../src/router/jobRecord';
import { addInputs, type JobInput, startJob } from '../../../src/router/jobStart';
import { checkKind, kindOfSegment } from '../../../src/router/model';
import { minimumJobCost } from '../../../src/router/pricing';
import {
	addEstimate,
	markSpendingUnknown,
	unknownCostError,
	checkMinimumCost,
	checkExecutionCap,
	emptySpending,
} from '../../../src/router/spendingCap';
import { checkAgainstCatalog, findCachedModel } from '../catalog';
import { toStartLedger, type StartedJob } from './jobLedger';
import {
	checkAgentAllowed,
	executionCapOption,
	itemCapOption,
	type StartRequest,
} from './start.params';

/** Rejects AI agents without permission, missing files, models of another kind, and jobs whose minimum cost exceeds a cap. */
export async function checkStart({
	request: { segment, model, body, inputs, allowAgents, executionCap, spendingCap },
	asTool,
	lookUp,
	findFile,
}: PreflightContext<StartRequest>): Promise<void> {
	checkAgentAllowed(asTool, allowAgents);
	for (const { binaryProperty, path } of inputs)
		if (binaryProperty !== undefined) findFile(binaryProperty, path);
	await checkAgainstCatalog({ lookUp }, model, (found) => {
		const entry = 'entry' in found ? found.entry : undefined;
		if (entry) checkKind(entry, kindOfSegment(segment));
		const minimum = minimumJobCost(entry?.pricing, body);
		if (minimum && executionCap !== undefined)
			checkMinimumCost(minimum, executionCap, executionCapOption.displayName);
		if (spendingCap === undefined) return;
		if (minimum) return checkMinimumCost(minimum, spendingCap, itemCapOption.displayName);
		throw unknownCostError(
			'missing' in found ? found.missing : 'the catalog has no price for this model',
		);
	});
}

/** Starts a job unless it was started before. With a cap per execution, starts run one after another, so that each knows the costs of the earlier ones. */
export async function startPaidJob(context: OperationContext<StartRequest>): Promise<StartedJob> {
	const { segment, executionCap, ledger } = context.request;
	const spending = context.getState('spending', emptySpending);
	const start = async () => {
		const body = await buildStartBody(context);
		return await context.startPaid<StartedJob>({
			request: { segment, body },
			...(ledger && { ledger: toStartLedger(context, ledger) }),
			...(executionCap !== undefined && {
				checkCap: () => checkExecutionCap(spending, executionCap),
			}),
			send: async (attempts) => ({ job: await sendStart(context, body, spending, attempts) }),
		});
	};
	return executionCap === undefined ? await start() : await context.runSerially(start);
}

/** Sends a start, records its ID immediately, and adds its cost to the spending of the execution. */
async function sendStart(
	context: OperationContext<StartRequest>,
	body: Record<string, unknown>,
	spending: ReturnType<typeof emptySpending>,
	attempts: SendAttempts,
): Promise<Job> {
	const { request, http, recordId, countInFlight } = context;
	const { segment, model, executionCap } = request;
	const findMinimumCost = async () =>
		minimumJobCost((await findCachedModel(context, model))?.pricing, body)?.microUsd;
	// looked up before the start: the response must be recorded without delay
	const minimumCost = executionCap === undefined ? undefined : await findMinimumCost();
	try {
		const job = await startJob(http, segment, body, attempts);
		recordId('mediaJob', job.jobId);
		addEstimate(spending, job.estimatedCostMicroUsd, minimumCost);
		return job;
	} catch (cause) {
		const serviceError = cause instanceof ServiceError ? cause : undefined;
		if (serviceError?.details.outcome === 'unknown') markSpendingUnknown(spending);
		const leastMicroUsd =
			serviceError && isBalanceTooSmall(serviceError) ? await findMinimumCost() : undefined;
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
