/** Whether a value is neither undefined nor null. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether a value is missing, false, 0, or has nothing in it. */
export const isEmptyValue = (value: unknown): boolean =>
	!value || (typeof value === 'object' && Object.keys(value).length === 0);

/** The fields that have a value: those that are undefined or null are left out. */
export function omitMissing<Fields extends object>(
	fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
	const present: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {};
	for (const name in fields) {
		const value = fields[name];
		if (value !== undefined && value !== null) present[name] = value;
	}
	return present;
}
