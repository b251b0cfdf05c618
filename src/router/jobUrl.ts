/** The job ID in the URL of a job or of its file, complete or only its path. Undefined for any other URL. */
export function findJobIdInUrl(url: string): string | undefined {
	const [, id] = /^[^?#]*\/jobs\/([^/?#]+)(?:\/content)?\/?(?:[?#].*)?$/.exec(url) ?? [];
	try {
		return id && decodeURIComponent(id);
	} catch {
		return id;
	}
}

/** The ID of a job as typed, or the one in a pasted URL. Undefined for a URL without a job ID. */
export function findJobId(typed: string): string | undefined {
	const text = typed.trim();
	return /^https?:\/\//i.test(text) ? findJobIdInUrl(text) : text;
}
