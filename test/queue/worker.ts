import { N8nProcess } from '../n8n/n8nProcess.ts';

/** n8n lets a worker that is asked to end go on for so many seconds with what it executes. */
const GRACE = 30;

/** How many executions a worker has under way at most, if the rig says nothing else; fewer than five n8n warns of. */
export const CONCURRENCY = 5;

/** A worker of n8n's queue mode. */
export class Worker extends N8nProcess {
	/** How many executions it has under way at most, from its next start on. */
	concurrency = CONCURRENCY;

	override async boot() {
		await this.run(['worker', `--concurrency=${this.concurrency}`], () => this.answersReady());
	}

	/** Asks the worker to end, which it does after what it executes or after half a minute. */
	override async stop(seconds = GRACE + 15) {
		await super.stop(seconds);
	}

	/** The ids of the executions that it has taken from the queue, those before a restart included. */
	executions(): string[] {
		const started = this.wholeLog().matchAll(/Worker started execution (\d+) /g);
		return [...started].map(([, id = '']) => id);
	}
}

/** A process of n8n's queue mode that only answers webhooks, as main does too. */
export class WebhookProcessor extends N8nProcess {
	override async boot() {
		await this.run(['webhook'], () => this.answersReady());
	}
}
