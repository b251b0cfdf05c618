/**
 * The job ID in the URL of a job, of its status or of its file: the path part after `/jobs/`.
 *
 * @param url Complete, or only its path.
 * @returns undefined if it is not such a URL.
 */
export function findJobIdInUrl(url: string): string | undefined {
	const [, id] = /^[^?#]*\/jobs\/([^/?#]+)(?:\/content)?\/?(?:[?#].*)?$/.exec(url) ?? [];
	try {
		return id && decodeURIComponent(id);
	} catch {
		return id;
	}
}

/** Whether a text is a web address. A job ID is not. */
export const isUrl = (text: string) => /^https?:\/\//i.test(text);
