import { isObject } from '../service/json';

/** One use of a tool inside the service; times are milliseconds since the question was sent. */
export interface ToolCall {
	/** Links the start of a call to its end. */
	callId: string;
	/** Keyed by language, e.g. `{ en: 'Looking up top holders' }`. Absent when the call was only seen to finish. */
	title?: Record<string, string>;
	/** The title in the language that was asked for, or the next best one. */
	label?: string;
	/** Absent when the call was only seen to finish. */
	startedMs?: number;
	finished: boolean;
	/** Absent while it is not finished. */
	finishedMs?: number;
	/** Absent unless a start was seen, and an end after it. */
	durationMs?: number;
}

/**
 * Keeps the timeline of the tools. Any order is put up with: an end without a start, a start without an end, one after the
 * other, either of them twice (the first one counts).
 *
 * @param time Gives milliseconds since the question was sent.
 * @param language In which titles are wanted, e.g. `de`.
 */
export function toolTimeline(time: () => number, language: string) {
	const calls = new Map<string, ToolCall>();
	return {
		/** @returns the call when it was not seen to start before. */
		start(id: unknown, title: unknown): ToolCall | undefined {
			const callId = String(id);
			const before = calls.get(callId);
			if (before?.startedMs !== undefined) return undefined;
			const titles = titlesOf(title);
			const label = titles && titleIn(titles, language);
			const call: ToolCall = {
				callId,
				...(titles && { title: titles }),
				...(label && { label }),
				startedMs: time(),
				finished: false,
				...(before && { finished: true, finishedMs: before.finishedMs ?? time() }),
			};
			calls.set(callId, call);
			return call;
		},
		finish(id: unknown): void {
			const callId = String(id);
			const before = calls.get(callId);
			if (before?.finished) return;
			const finishedMs = time();
			const { startedMs } = before ?? {};
			const duration = startedMs === undefined ? {} : { durationMs: finishedMs - startedMs };
			calls.set(callId, { callId, ...before, finished: true, finishedMs, ...duration });
		},
		calls: () => [...calls.values()],
	};
}

function titlesOf(title: unknown): Record<string, string> | undefined {
	if (typeof title === 'string') return { en: title };
	if (!isObject(title)) return undefined;
	const words = Object.entries(title).filter(([, word]) => typeof word === 'string');
	return Object.fromEntries(words) as Record<string, string>;
}

/** In the language itself, in one that it is a kind of (`de` for `de-AT`, and the reverse), in English, or in any. */
export function titleIn(titles: Record<string, string>, language: string): string | undefined {
	const given = Object.entries(titles).filter(([, title]) => title.trim());
	const wanted = plain(language);
	const [base = ''] = wanted.split('-');
	const fits = [
		(key: string) => key === wanted,
		(key: string) => key === base,
		(key: string) => key.split('-')[0] === base,
		(key: string) => key.split('-')[0] === 'en',
		() => true,
	];
	for (const fit of fits) {
		const found = given.find(([key]) => fit(plain(key)));
		if (found) return found[1];
	}
	return undefined;
}

const plain = (language: string) => language.trim().toLowerCase().replaceAll('_', '-');
