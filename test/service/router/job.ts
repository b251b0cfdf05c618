import { directivesOf, numberIn } from '../directives.ts';
import type { World } from '../world.ts';
import type { Kind, Model } from './catalog.ts';

export type MediaKind = Exclude<Kind, 'text'>;

/** One booked start: what the books of the service say, whatever the client has seen. */
export interface Start {
	key: string;
	prompt: string;
	/** The body as it came. */
	bodyText: string;
	jobId: string;
}

export interface Job {
	id: string;
	key: string;
	kind: MediaKind;
	model: Model;
	prompt: string;
	state: 'pending' | 'completed' | 'failed';
	/** Amounts in µ$. */
	estimatedCost: number;
	/** Absent until the job completes. */
	cost?: number;
	startedAt: number;
	completedAt?: number;
	/** Status reads so far. */
	reads: number;
	/** Whether the file is gone whatever the clock says. */
	expired: boolean;
	/** Replaces the hold by the cost. */
	close(cost: number): void;
}

/** Ends a job: charged once when it completes, nothing when it fails (section 3). */
export function endJob(world: World, job: Job, state: 'completed' | 'failed') {
	if (job.state !== 'pending') return;
	job.state = state;
	if (state === 'failed') return job.close(0);
	job.completedAt = world.now();
	job.cost = job.estimatedCost;
	job.close(job.cost);
}

/** Lets a job go on by one status read, or by the clock when `forms.jobSeconds` is set. */
export function advanceJob(world: World, job: Job, read: boolean) {
	if (job.state !== 'pending') return;
	const directives = directivesOf(job.prompt);
	if (directives.has('never')) return;
	if (read) job.reads++;
	const seconds = world.forms.jobSeconds;
	const steps = numberIn(directives, 'steps') ?? world.forms.jobSteps;
	const done =
		seconds === null ? job.reads >= steps : world.now() >= job.startedAt + seconds * 1000;
	if (done) endJob(world, job, directives.has('fail') ? 'failed' : 'completed');
}

const DAY = 86_400_000;

/** Section 8: 7 days for images and video; music and speech "right away", here one hour. */
export function isExpired(world: World, job: Job): boolean {
	const kept = job.kind === 'image' || job.kind === 'video' ? 7 * DAY : DAY / 24;
	return job.expired || (job.completedAt !== undefined && world.now() > job.completedAt + kept);
}
