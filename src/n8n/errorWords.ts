import type { ServiceError } from '../service/errors';

/** A sentence that an AI agent can act on without seeing anything else: ids and what to do are in it. */
export function sentence({
	kind,
	message,
	details: { code, ids, advice, outcome },
}: ServiceError): string {
	const named = Object.entries(ids ?? {}).map(([name, id]) => `${name}: ${id}`);
	const head = [
		message,
		code && !/^E[A-Z]+$|_/.test(code) ? `: ${code}` : '',
		named.length ? ` (${named.join(', ')})` : '',
	].join('');
	const tail = kind === 'invalid' || outcome === 'unknown' || named.length ? advice : undefined;
	return tail ? `${head}. ${tail}` : head;
}

/**
 * Everything that is known of a failure, as HTML without any: it is what n8n's editor renders, and all that its chat shows. It
 * is never empty, and never the message itself, which n8n would drop.
 */
export function describe(error: ServiceError): string {
	return escaped(
		error.kind === 'invalid'
			? (error.details.advice ?? 'Nothing was sent for this item.')
			: linesOf(error),
	);
}

function linesOf(error: ServiceError): string {
	const { reason, advice, code, requestId, outcome, retryAfter, partial } = error.details;
	const lines = [
		reason && `The service says: ${reason}`,
		advice,
		code && `Code: ${code}`,
		retryAfter !== undefined && `The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		partialSentence(partial),
		outcome && `Outcome: ${OUTCOMES[outcome]}.`,
		requestId && `Request ID: ${requestId}`,
	].filter(Boolean);
	return lines.length ? lines.join('\n') : `${error.message}. The service gave no further reason.`;
}

const OUTCOMES = {
	not_started: 'nothing was started, nothing is charged',
	unknown: 'unknown; it may have been carried out, and may be charged',
	started: 'the service received it; what it did may be charged',
};

function partialSentence(partial: object | undefined): string | undefined {
	const text =
		partial && 'text' in partial && typeof partial.text === 'string' ? partial.text : undefined;
	if (text === undefined) return undefined;
	return text
		? `What arrived before (${text.length} characters): ${text.slice(0, 1000)}`
		: 'No text had arrived.';
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
