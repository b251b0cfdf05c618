import { json, type Answer } from '../answer.ts';
import { isFields, type Call, type Fields } from '../call.ts';
import { directivesOf } from '../directives.ts';
import { uuidOf } from '../ids.ts';
import type { World } from '../world.ts';
import { insufficientBalance, invalid } from './error.ts';
import { endJob, type Job, type MediaKind } from './job.ts';
import { jobRecord } from './jobs.ts';
import { jobCost, type Extent } from './pricing.ts';
import { isAnswer, modelFor } from './serving.ts';

/** Section 8, rule 4: the first use of a configuration adds a margin; how much is not specified. */
const FIRST_USE_MARGIN = 1.25;

/** POST /v1/<segment>/jobs. Its parameters are not shown, so anything beside the model is taken. */
export function startJob(world: World, call: Call, key: string, kind: MediaKind): Answer {
	const body = call.body;
	if (!isFields(body)) return invalid('the body is a JSON object');
	const model = modelFor(world, body.model, kind);
	if (isAnswer(model)) return model;
	const prompt = body.prompt ?? body.input ?? body.text;
	if (typeof prompt !== 'string' || prompt === '') return invalid('prompt is required, text');
	const account = world.accounts.get(key);
	if (!account) throw new Error('no account');

	const extent = extentOf(body, prompt);
	const configuration = `${model.entry.id} ${String(body.resolution ?? body.size ?? '')}`;
	const estimatedCost = jobCost(model.entry, extent);
	const first = !account.used.has(configuration);
	const required = first ? Math.ceil(estimatedCost * FIRST_USE_MARGIN) : estimatedCost;
	if (!account.fits(required)) return insufficientBalance(required, account);

	account.used.add(configuration);
	const job: Job = {
		id: `job-${uuidOf('job', world.next())}`,
		key,
		kind,
		model,
		prompt,
		state: 'pending',
		estimatedCost,
		startedAt: world.now(),
		reads: 0,
		expired: false,
		close: account.hold(required),
	};
	world.jobs.set(job.id, job);
	world.starts.push({ key, prompt, bodyText: call.bodyText, jobId: job.id });
	if (world.forms.jobSteps === 0 && world.forms.jobSeconds === null) {
		const directives = directivesOf(prompt);
		if (!directives.has('steps') && !directives.has('never')) {
			endJob(world, job, directives.has('fail') ? 'failed' : 'completed');
		}
	}
	return json(jobRecord(world, job));
}

/** Section 8, rule 3: the duration raises the price; its name is not specified. */
function extentOf(body: Fields, prompt: string): Extent {
	const count = (value: unknown, fallback: number) =>
		Number(value) > 0 && Number.isFinite(Number(value)) ? Number(value) : fallback;
	return {
		images: count(body.n, 1),
		seconds: count(body.duration ?? body.seconds, 5),
		characters: prompt.length,
	};
}
