import { isPlainObject, omitMissing } from '../core/json';

/** One tool call inside the service. Times are milliseconds since the question was sent. */
export interface ToolCall {
	/** Links the start of a call to its end. */
	callId: string;
	/** By language, e.g. `{ en: 'Looking up top holders' }`. Absent without a start event. */
	title?: Record<string, string>;
	/** The English title, or else the first. */
	label?: string;
	/** Absent without a start event. */
	startedMs?: number;
	finished: boolean;
	/** Absent until the call has finished. */
	finishedMs?: number;
	/** Absent unless a start event arrived, and a finish event after it. */
	durationMs?: number;
}

/**
 * Records the timeline of the tools. Of a start or a finish that comes twice, the first one counts.
 *
 * @param time Returns milliseconds since the question was sent.
 */
export function createToolTimeline(time: () => number) {
	const calls = new Map<string, ToolCall>();
	return {
		/** @returns the call, unless it had already started. */
		start(callId: string, given: unknown): ToolCall | undefined {
			const existing = calls.get(callId);
			if (existing?.startedMs !== undefined) return undefined;
			const title = readTitles(given);
			const call: ToolCall = {
				callId,
				...omitMissing({ title, label: title && selectTitle(title) }),
				startedMs: time(),
				finished: false,
				...existing,
			};
			calls.set(callId, call);
			return call;
		},
		finish(callId: string): void {
			const existing = calls.get(callId);
			if (existing?.finished) return;
			const finishedMs = time();
			const { startedMs } = existing ?? {};
			calls.set(callId, {
				callId,
				...existing,
				finished: true,
				finishedMs,
				...(startedMs !== undefined && { durationMs: finishedMs - startedMs }),
			});
		},
		calls: () => [...calls.values()],
		count: () => calls.size,
	};
}

function readTitles(title: unknown): Record<string, string> | undefined {
	if (!isPlainObject(title)) return undefined;
	const texts = Object.entries(title).filter(([, text]) => typeof text === 'string');
	return Object.fromEntries(texts) as Record<string, string>;
}

/** The English title, or else the first. */
const selectTitle = ({ en = '', ...others }: Record<string, string>): string | undefined =>
	[en, ...Object.values(others)].find((title) => title.trim());
