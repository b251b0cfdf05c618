/**
 * The job ID in the URL of a job: the last part of a path that ends in `/jobs/<id>`.
 *
 * @param url Complete, or only its path.
 * @returns undefined if it is not such a URL.
 */
export function findJobIdInUrl(url: string): string | undefined {
	const [, id] = /^[^?#]*\/jobs\/([^/?#]+)\/?(?:[?#].*)?$/.exec(url) ?? [];
	try {
		return id && decodeURIComponent(id);
	} catch {
		return id;
	}
}

/**
 * The ID of a job as typed, or the one in a pasted URL of its status or its file.
 *
 * @returns undefined for a URL without a job ID.
 */
export function findJobId(typed: string): string | undefined {
	const text = typed.trim();
	return /^https?:\/\//i.test(text) ? findJobIdInUrl(withoutContent(text)) : text;
}

/** Removes the last path part of the URL of a job's file, which leaves the URL of the job. */
const withoutContent = (url: string) => url.replace(/\/content\/?(?=[?#]|$)/, '');
