import type { ServiceError } from '../service/errors';

/** The failure in a sentence or two: ids and what to do are in it. */
export function sentence({ message, details: { code, ids, advice } }: ServiceError): string {
	const named = Object.entries(ids ?? {}).map(([name, id]) => `${name}: ${id}`);
	// n8n replaces a message that contains one of the network's own codes, which are in capitals
	const said = code && /^[a-z][a-z0-9_]*$/.test(code) ? `: ${code}` : '';
	const head = message + said + (named.length ? ` (${named.join(', ')})` : '');
	return advice ? `${head}. ${advice}` : head;
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

function linesOf({ kind, message, details }: ServiceError): string {
	const { reason, advice, code, requestId, outcome, retryAfter, partial } = details;
	const lines = [
		reason && reasonSentence(kind, reason),
		advice,
		code && `Code: ${code}.`,
		retryAfter !== undefined && `The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		outcome && `Outcome: ${OUTCOMES[outcome]}.`,
		partialSentence(partial, 1000),
		requestId && `Request ID: ${requestId}`,
	].filter(Boolean);
	return lines.length ? lines.join('\n') : `${message}. The service gave no further reason.`;
}

export function reasonSentence(kind: ServiceError['kind'], reason: string): string {
	return `${OWN_REASONS.has(kind) ? 'Reason' : 'The service says'}: ${ended(reason)}`;
}

/** Kinds of failure in which the service itself said nothing. */
const OWN_REASONS = new Set<ServiceError['kind']>([
	'unreachable',
	'cut',
	'unfit',
	'unfinished',
	'stopped',
]);

/** The editor shows all lines as one: each has to be a sentence. */
export const ended = (text: string) => (/[.!?…]\s*$/.test(text) ? text : `${text}.`);

const OUTCOMES = {
	not_started: 'nothing was started, nothing is charged',
	unknown: 'unknown; it may have been carried out, and may be charged',
	started: 'the service received it; what it did may be charged',
};

/** @param most Characters that are shown. */
export function partialSentence(partial: object | undefined, most: number): string | undefined {
	const text =
		partial && 'text' in partial && typeof partial.text === 'string' ? partial.text : undefined;
	if (text === undefined) return undefined;
	return text
		? `What arrived before (${text.length} characters): ${ended(text.slice(0, most))}`
		: 'No text had arrived.';
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
