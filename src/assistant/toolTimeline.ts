import { isPlainObject } from '../core/json';

/** One tool call inside the service. Times are milliseconds since the question was sent. */
export interface ToolCall {
	/** Links the start of a call to its end. */
	callId: string;
	/** By language, e.g. `{ en: 'Looking up top holders' }`. Absent without a start event. */
	title?: Record<string, string>;
	/** The title in the requested language, or the next best one. */
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
 * @param language Language of the titles, e.g. `de`.
 */
export function createToolTimeline(time: () => number, language: string) {
	const calls = new Map<string, ToolCall>();
	return {
		/** @returns the call, unless it had already started. */
		start(callId: string, given: unknown): ToolCall | undefined {
			const existing = calls.get(callId);
			if (existing?.startedMs !== undefined) return undefined;
			const title = readTitles(given);
			const label = title && selectTitle(title, language);
			const call: ToolCall = {
				...{ callId, ...(title && { title }), ...(label && { label }) },
				...{ startedMs: time(), finished: false, ...existing },
			};
			calls.set(callId, call);
			return call;
		},
		finish(callId: string): void {
			const existing = calls.get(callId);
			if (existing?.finished) return;
			const finishedMs = time();
			const durationMs = finishedMs - (existing?.startedMs ?? NaN);
			calls.set(callId, {
				...{ callId, ...existing, finished: true, finishedMs },
				...(existing?.startedMs !== undefined && { durationMs }),
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

/** Picks the title in the language, else a related one (`de` for `de-AT`, and the reverse), else English, else any. */
export function selectTitle(titles: Record<string, string>, language: string): string | undefined {
	const given = Object.entries(titles).filter(([, title]) => title.trim());
	const isIn = (wanted: string) => given.find(([key]) => normalizeLanguage(key) === wanted);
	const wanted = normalizeLanguage(language);
	const isRelated = (base = '') => given.find(([key]) => baseOf(key) === base);
	const found = isIn(wanted) ?? isRelated(baseOf(wanted)) ?? isRelated('en') ?? given[0];
	return found?.[1];
}

const normalizeLanguage = (language: string) => language.trim().toLowerCase().replaceAll('_', '-');

const baseOf = (language: string) => normalizeLanguage(language).split('-')[0];
