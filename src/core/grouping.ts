/** The values by key, in the order in which the keys come first. */
export function groupBy<Value, Key>(
	values: Iterable<Value>,
	keyOf: (value: Value) => Key,
): Map<Key, Value[]> {
	const groups = new Map<Key, Value[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group) group.push(value);
		else groups.set(key, [value]);
	}
	return groups;
}

/** The values that are the same in these fields, in the order in which they come first. */
export const groupByFields = <Value>(
	values: Iterable<Value>,
	fields: ReadonlyArray<keyof Value>,
): Value[][] => [
	...groupBy(values, (value) => JSON.stringify(fields.map((field) => value[field]))).values(),
];
