import { json, type Answer } from '../answer.ts';
import type { Call } from '../call.ts';
import type { World } from '../world.ts';
import { jobContent } from './content.ts';
import { routerError } from './error.ts';
import { advanceJob, type Job, type MediaKind } from './job.ts';
import { SEGMENTS } from './serving.ts';
import { startJob } from './startJob.ts';

/** The paths of section 4C below `/v1/<segment>/jobs`; undefined when it is no such path. */
export function jobsEndpoint(
	world: World,
	call: Call,
	key: string,
	name: string,
	rest: string[],
): Answer | undefined {
	const kinds = Object.keys(SEGMENTS) as MediaKind[];
	const [id, content, more] = rest;
	if (id === undefined) {
		// a start names the segment, always
		const kind = kinds.find((each) => SEGMENTS[each] === name);
		if (!kind) return undefined;
		if (call.method === 'POST') return startJob(world, call, key, kind);
		return routerError(405, 'method_not_allowed', 'use POST to start a job');
	}
	// section 4C writes `<segment>` for the start and `<kind>` for the rest
	const kind = kinds.find((each) => [SEGMENTS[each], each].includes(name));
	if (!kind || more !== undefined || (content !== undefined && content !== 'content')) {
		return undefined;
	}
	if (call.method !== 'GET') return routerError(405, 'method_not_allowed', 'use GET');
	const job = world.jobs.get(id);
	// another account's job, or a job of another kind, is no job here; not specified
	if (!job || job.key !== key || job.kind !== kind) {
		return routerError(404, 'job_not_found', `There is no job ${id}`);
	}
	advanceJob(world, job, content === undefined);
	if (content) return jobContent(world, job);
	return json(jobRecord(world, job));
}

/** A job as the service tells it (section 2C); the state's field and words are not shown. */
export function jobRecord(world: World, job: Job): object {
	return {
		id: job.id,
		model: job.model.entry.id,
		status: job.state === 'pending' ? 'processing' : job.state,
		...(world.forms.jobCost === 'number' && { estimated_cost: job.estimatedCost, cost: job.cost }),
		...(job.state === 'failed' && {
			error: { code: 'generation_failed', message: 'The model could not do this' },
		}),
	};
}
