/**
 * Reads a `Retry-After` header.
 *
 * @param now Milliseconds since 1970, for the form that names a date.
 * @returns Milliseconds to wait; undefined for a header that is absent or makes no sense (negative, not a number, not a date).
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
	const value = header?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(value)) {
		const milliseconds = Number(value) * 1000;
		return Number.isSafeInteger(Math.ceil(milliseconds)) ? milliseconds : undefined;
	}
	// Date.parse also takes "-1" and "2020" for dates: a date of HTTP begins with a weekday
	const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
