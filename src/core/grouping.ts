/** The values that are the same in these fields, in the order in which they come first. */
export const groupByFields = <Value>(
	values: Iterable<Value>,
	fields: ReadonlyArray<keyof Value>,
): Value[][] => [
	...Map.groupBy(values, (value) => JSON.stringify(fields.map((field) => value[field]))).values(),
];
