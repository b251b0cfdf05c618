import { invalid } from './errors';

const MAX_LENGTH = 512;

/**
 * Makes one segment of a path from an id that came from outside.
 *
 * `encodeURIComponent` alone leaves `.` and `..`, with which a job id could reach another address.
 *
 * @param name What the id is called where the user typed it, e.g. `Job ID`.
 * @throws ServiceError `invalid`.
 */
export function pathSegment(value: string, name: string): string {
	if (!value.trim()) throw invalid(`${name} is empty`);
	if (value.length > MAX_LENGTH) throw invalid(`${name} is longer than ${MAX_LENGTH} characters`);
	if (/^\.{1,2}$/.test(value) || /%2e/i.test(value) || /(^|[/\\])\.\.([/\\]|$)/.test(value)) {
		throw invalid(`${name} must not point to another address`, `It reads "${value}".`);
	}
	if (/\p{Cc}/u.test(value)) throw invalid(`${name} contains a control character`);
	if (!value.isWellFormed()) throw invalid(`${name} contains half a character`);
	return encodeURIComponent(value);
}
