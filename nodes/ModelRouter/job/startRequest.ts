import type { Call, Check } from '../../../src/n8n/operation';
import { isBalanceTooSmall } from '../../../src/router/advice';
import { explainJobBalance } from '../../../src/router/balance';
import type { Job } from '../../../src/router/jobRecord';
import { withInputs, type JobInput } from '../../../src/router/jobInputs';
import { jobBound } from '../../../src/router/jobPrice';
import { startJob } from '../../../src/router/jobStart';
import { checkKind } from '../../../src/router/kinds';
import { kindOf, type Segment } from '../../../src/router/segments';
import {
	addEstimate,
	addUnknown,
	boundMissing,
	checkBound,
	checkSpent,
	noSpending,
} from '../../../src/router/spending';
import { explained, ServiceError } from '../../../src/service/errors';
import { knownCatalog, knownModel } from '../catalog';
import { checkAgent } from './agents';
import type { LedgerWanted } from './ledger.params';
import { startLedgered, type Ledgered } from './ledgerStart';
import type { InputWanted } from './inputs.params';
import { executionCapOption, itemCapOption } from './start.params';

/** The start of a media job, ready but for the bytes of its files. */
export interface StartRequest {
	segment: Segment;
	model: string;
	/** Everything but the inputs. */
	body: Record<string, unknown>;
	inputs: readonly InputWanted[];
	allowAgents: boolean;
	/** USD; undefined for none. */
	executionCap: number | undefined;
	spendingCap: number | undefined;
	/** Undefined when the job ledger is not used. */
	ledger: LedgerWanted | undefined;
}

/** Refuses AI agents that nobody has allowed it, files that are not there, a model that makes something else, and what costs more than a cap for certain. */
export async function checkStart({
	request: { segment, model, body, inputs, allowAgents, executionCap, spendingCap },
	asTool,
	known,
	findFile,
}: Check<StartRequest>): Promise<void> {
	checkAgent(asTool, allowAgents);
	for (const { binaryProperty, path } of inputs)
		if (binaryProperty !== undefined) findFile(binaryProperty, path);
	const catalog = await knownCatalog({ known });
	const entry = 'value' in catalog ? catalog.value.find(model) : undefined;
	if (entry) checkKind(entry, kindOf(segment));
	const bound = jobBound(entry?.pricing, body);
	if (bound && executionCap !== undefined)
		checkBound(bound, executionCap, executionCapOption.displayName);
	if (spendingCap === undefined) return;
	if (bound) return checkBound(bound, spendingCap, itemCapOption.displayName);
	if ('missing' in catalog)
		throw boundMissing(`the catalog could not be read (${catalog.missing})`);
	throw boundMissing(
		entry
			? 'the catalog has no price for this model'
			: `the catalog does not have the model ${model}`,
	);
}

/** Starts a job unless it was started before, and writes its id down the moment it is known. */
export async function startOnce(
	call: Call<StartRequest>,
): Promise<{ job: Job; ledgered?: Ledgered }> {
	const {
		request: { segment, model, executionCap, ledger },
		http,
		once,
		decided,
		note,
		underWay,
	} = call;
	const spending = call.kept('spending', noSpending);

	const start = async () => {
		const body = await toBody(call);
		const post = async () => {
			if (executionCap !== undefined) checkSpent(spending, executionCap);
			const bound = async () => jobBound((await knownModel(call, model))?.pricing, body)?.microUsd;
			// looked up before the start: nothing may come between its answer and what is kept of it
			const least = executionCap === undefined ? undefined : await bound();
			try {
				const job = await startJob(http, segment, body);
				note('mediaJob', job.jobId);
				addEstimate(spending, job.estimatedCostMicroUsd, least);
				return job;
			} catch (cause) {
				const own = cause instanceof ServiceError ? cause : undefined;
				if (own?.details.outcome === 'unknown') addUnknown(spending);
				const leastMicroUsd = own && isBalanceTooSmall(own) ? await bound() : undefined;
				throw explained(cause, (error) =>
					explainJobBalance(error, { leastMicroUsd, others: underWay() - 1 }),
				);
			}
		};
		const sent = { segment, body };
		if (!ledger) return { job: await once(sent, post) };
		// of a key the job ledger knows more than this execution
		if (ledger.startKey) return await startLedgered(call, ledger, async () => await decided(post));
		return await once(sent, async () => await startLedgered(call, ledger, post));
	};
	return executionCap === undefined ? await start() : await call.inTurn(start);
}

async function toBody({ request: { body, inputs }, readFile }: Call<StartRequest>) {
	const read: JobInput[] = [];
	for (const { path, name, url, binaryProperty = '' } of inputs) {
		if (url !== undefined) {
			read.push({ name, value: url });
			continue;
		}
		const { mimeType, base64 } = await readFile(binaryProperty, path);
		read.push({ name, value: `data:${mimeType};base64,${base64}` });
	}
	return withInputs(body, read);
}
