import type { Service } from '../service/service';
import type { Job } from '../service/router/job';
import { fileOf, sha256 } from './files';
import { isUnknown, type Told } from './told';

/** What the service's own book says beside what was told. Lists are of keys or ids. */
export interface Findings {
	booked: number;
	files: number;
	failed: number;
	notStarted: number;
	/** Booked more than once for one item. */
	twice: string[];
	/** Booked, and neither is the id told nor is it said that it is not known. */
	lost: string[];
	/** Told, and not an id that the service has given for this item. */
	phantom: string[];
	/** Neither an id nor a reason was told. */
	silent: string[];
	/** Files that are not the very bytes of their job. */
	wrongFiles: string[];
	/** Told and completed, and all the same without a file in the end. */
	withoutFile: string[];
	unknown: { called: number; started: number };
}

export async function compare(
	told: Told[],
	{ world }: Service,
	keyIn: (text: string) => string,
): Promise<Findings> {
	const book = new Map<string, string[]>(told.map(({ key }) => [key, []]));
	for (const { prompt, jobId } of world.starts) {
		const key = keyIn(prompt);
		book.set(key, [...(book.get(key) ?? []), jobId]);
	}
	const bookedFor = (key: string) => book.get(key) ?? [];
	const toldOf = new Map(told.map((each) => [each.key, each]));
	const wrong = await Promise.all(
		told.map(async ({ key, file }) => {
			if (!file) return [];
			const job = world.jobs.get(file.jobId);
			const right = job && file.sha256 === sha256(await fileOf(job));
			return right && bookedFor(key).includes(file.jobId) ? [] : [key];
		}),
	);
	const unknown = told.filter(isUnknown);
	return {
		booked: world.starts.length,
		files: told.filter(({ file }) => file).length,
		failed: told.filter(({ failed }) => failed).length,
		notStarted: told.filter(({ notStarted }) => notStarted).length,
		twice: [...book].filter(([, ids]) => ids.length > 1).map(([key]) => key),
		lost: [...book].flatMap(([key, ids]) => {
			const each = toldOf.get(key);
			return ids.filter((id) => !each?.ids.has(id) && !(each && isUnknown(each)));
		}),
		phantom: told.flatMap(({ key, ids }) => [...ids].filter((id) => !bookedFor(key).includes(id))),
		silent: told
			.filter((each) => !each.ids.size && !each.unknown && !each.notStarted)
			.map(({ key }) => key),
		wrongFiles: wrong.flat(),
		withoutFile: told
			.filter(({ ids, file }) => !file && [...ids].some((id) => isCompleted(world.jobs.get(id))))
			.map(({ key }) => key),
		unknown: {
			called: unknown.length,
			started: unknown.filter(({ key }) => bookedFor(key).length).length,
		},
	};
}

const isCompleted = (job: Job | undefined) => job?.state === 'completed';
