import { mapServiceError } from '../core/errors';
import { inBatches } from '../tables/rowWrites';
import { createLabelLimit } from './labels';
import { type Known, type SpendingNews, writeNews } from './recordBook';

/** Milliseconds for which what texts have cost is kept at most. A process that is killed loses it. */
const KEPT_FOR = 10_000;

/**
 * Makes the writer of what the node runs of a process spend. What comes while it writes is written together.
 */
export function createSpendingWriter() {
	const known: Known = { findOthers: createLabelLimit(), rows: new Map() };
	const writeTogether = inBatches(
		async (news: readonly SpendingNews[]) => await writeNews(news, known),
	);
	let open = 0;
	let writtenAt = -Infinity;
	/** What node runs have spent that have ended, while others are under way. */
	let kept: SpendingNews[] = [];
	/** Why what was kept could not be written. */
	let failure: { cause: unknown } | undefined;

	/** @returns what to say about it. @throws ServiceError if something could not be written. */
	const write = async (news: SpendingNews, now: number): Promise<string> => {
		const entries = [...kept, news].flatMap((each) => each.entries);
		kept = [];
		writtenAt = now;
		const said = await writeTogether({ ...news, entries });
		const failed = failure;
		failure = undefined;
		if (failed) throw mapServiceError(failed.cause);
		return said;
	};
	const flush = async (now: number) => {
		const last = kept.at(-1);
		if (last) await write({ ...last, entries: [] }, now);
	};
	const writeLater = async (news: SpendingNews) => {
		const { clock } = await news.open();
		await clock.sleep(KEPT_FOR);
		await flush(clock.now());
	};
	return {
		/** A node run spends something. */
		join: () => void open++,
		write,
		/** Writes what is kept. */
		flush,
		/**
		 * A node run has ended. What texts have cost is written a little later if others are under way: each write is one of n8n's main
		 * process, which all workers share.
		 */
		async end(news: SpendingNews, now: number): Promise<string> {
			open--;
			const isLater = open > 0 && now - writtenAt < KEPT_FOR && isOnlyText(news);
			if (!isLater) return await write(news, now);
			kept.push(news);
			if (kept.length === 1) void writeLater(news).catch((cause: unknown) => (failure = { cause }));
			return '';
		},
	};
}

export type SpendingWriter = ReturnType<typeof createSpendingWriter>;

const isOnlyText = ({ entries, decided, ended }: SpendingNews) =>
	!decided.length && !ended.length && entries.every(({ jobs }) => !jobs.length);
