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

/** Removes the last path part of the URL of a job's file, which leaves the URL of the job. */
export const withoutContent = (url: string) => url.replace(/\/content\/?(?=[?#]|$)/, '');

/** Whether a text is a web address. A job ID is not. */
export const isUrl = (text: string) => /^https?:\/\//i.test(text);
