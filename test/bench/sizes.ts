/** How much is measured: bytes of a file; jobs that a trigger polls; rows of a Data Table; rounds of a row at most. */
export const usual = {
	rounds: 99,
	items: 1000,
	deltas: 10_000,
	file: 500_000_000,
	polled: 1000,
	queueExecutions: 100,
	queueWatched: 500,
	queueParked: 300,
	tableRows: [1000, 10_000, 100_000],
};

export type Sizes = typeof usual;

/** Shows that everything works, and nothing more. */
export const quick: Sizes = {
	rounds: 1,
	items: 20,
	deltas: 200,
	file: 5_000_000,
	polled: 30,
	queueExecutions: 10,
	queueWatched: 20,
	queueParked: 10,
	tableRows: [100],
};

/** What docs/measurements.md tells of queue mode. */
export const large = { queueWatched: 10_000, queueParked: 10_000 };
