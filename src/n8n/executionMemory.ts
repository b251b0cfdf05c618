import type { IExecuteFunctions } from 'n8n-workflow';

import { explained } from '../service/errors';
import { stopped } from './body';
import type { Call } from './operation';
import type { Place } from './pool';

/** The last turn of each execution; an AI agent may call its tool several times at once. */
const turns = new WeakMap<object, Promise<void>>();

/**
 * What the runs of a node in one execution have in common. The node's context lives through Retry On Fail, and is stored with a
 * failed execution.
 */
export function executionMemory(n8n: IExecuteFunctions) {
	const context = n8n.getContext('node') as { kept?: Record<string, object> };
	let over = false;

	const kept: Call<never>['kept'] = <Data extends object>(name: string, preset: () => Data) =>
		((context.kept ??= {})[name] ??= preset()) as Data;

	const turnOf =
		(place: Place): Call<never>['inTurn'] =>
		async (action) => {
			const stop = n8n.getExecutionCancelSignal();
			const before = turns.get(context) ?? Promise.resolve();
			let done = () => {};
			const turn = new Promise<void>((resolve) => (done = resolve));
			turns.set(
				context,
				before.then(() => turn),
			);
			try {
				await place.away(() => before);
				if (over || stop?.aborted) throw stopped(false);
				return await action();
			} catch (cause) {
				// the item's failure is known here before it is known to the pool
				over ||= !n8n.continueOnFail();
				throw explained(cause);
			} finally {
				done();
			}
		};

	return { kept, turnOf };
}
