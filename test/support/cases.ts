/** Random cases of a property. `npm run test:long` tries 2,000; each run has a seed of its own. */
export const CASES = Number(process.env['AGENT_BRIDGE_CASES'] ?? 60);

/** The long tests have the time for everything. */
export const EVERYTHING = CASES > 60;

/** Every nth of a list, from another one on for each `offset`; all of it with the long tests. */
export const someOf = <Item>(list: readonly Item[], nth: number, offset = 0): Item[] =>
	list.filter((_, at) => EVERYTHING || (at + offset) % nth === 0);

/** 0, 1, 2, ... `end` - 1 */
export const upTo = (end: number): number[] => Array.from({ length: end }, (_, at) => at);
