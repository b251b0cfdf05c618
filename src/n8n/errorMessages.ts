import { isReport, JOB_FAILED } from '../core/errorResponses';
import {
	cutText,
	joinSentences,
	type ServiceError,
	shortenText,
	withFullStop,
} from '../core/errors';
import { isUsedUp } from '../core/usedUp';
import { RUNBOOK } from './documentation';

/** Characters of a sentence in which a field of the user stands, such as a name. */
const MAX_TITLE_LENGTH = 500;

/** What happened, in one sentence, with IDs. What to do about it is in the description: the editor shows both. */
export function errorTitle(error: ServiceError): string {
	const { message, details } = error;
	const { code, ids } = details;
	const words = reportedWords(error);
	const named = Object.entries(ids ?? {}).map(([name, id]) => `${name}: ${id}`);
	// n8n replaces a message that contains a network error code; those are in capitals
	const reason = words ? `: ${words}` : code && /^[a-z][a-z0-9_]*$/.test(code) ? `: ${code}` : '';
	return (
		shortenText(message, MAX_TITLE_LENGTH) + reason + (named.length ? ` (${named.join(', ')})` : '')
	);
}

/** Characters of the service's words in a title. */
const MAX_TITLE_WORDS = 200;

/** What the service itself reports, in its own words: what happened. */
function reportedWords({ message, details: { reason = '' } }: ServiceError): string {
	if (!isReport(message) && message !== JOB_FAILED) return '';
	const words = reason.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
	return shortenText(words, MAX_TITLE_WORDS);
}

/** Whether all of the reason is in the title: each thing is said once. */
const isInTitle = (error: ServiceError): boolean => /[^…]$/.test(reportedWords(error));

/** What happened and what to do, for a reader who does not see the description: the field `error` of an item. */
export function errorMessage(error: ServiceError): string {
	const advice = findAdvice(error);
	return advice ? `${withFullStop(errorTitle(error))} ${advice}` : errorTitle(error);
}

/** @param credential Its name in n8n. There may be several of a kind. */
export const checkKeyAdvice = (credential?: string): string =>
	`Copy the API key into the credential${credential === undefined ? '' : ` "${credential}"`} again: it has to be a key of this service.`;

/** What to do when the service refuses a request, if the error does not have more specific advice. */
const USUAL_ADVICE: Record<number, string> = {
	401: checkKeyAdvice(),
	403: checkKeyAdvice(),
	404: 'Check what the node asks for, such as the model or an ID, and the base URL of the credential.',
	429: 'Raise "Wait When Rate-Limited" or lower "Max Items at Once" in Request Settings.',
};

const TRUNCATED_ADVICE =
	'What arrived may be charged. Look at it, in "partial", before you ask again: that is charged again.';

const JOB_ADVICE =
	'Check the job ID, the media type of the job, and the base URL of the credential.';

function findAdvice({ kind, details }: ServiceError): string | undefined {
	const { advice, status = 0, ids } = details;
	if (kind === 'truncated') return joinSentences(TRUNCATED_ADVICE, advice);
	return advice ?? (status === 404 && ids?.['jobId'] ? JOB_ADVICE : USUAL_ADVICE[status]);
}

/** The same for the user of a chat model: also how to find the call again, and whether it may be charged. */
export function chatModelErrorMessage(error: ServiceError): string {
	const { requestId, outcome } = error.details;
	return joinSentences(
		withFullStop(errorMessage(error)),
		outcome && error.kind !== 'invalid' && `Outcome: ${OUTCOME_TEXTS[outcome]}.`,
		requestId && `Request ID: ${requestId}.`,
	);
}

/** The description of the same failure, which is all that a chat shows: so it says what happened, too. */
export function chatModelErrorDescription(error: ServiceError): string {
	return `${withFullStop(errorTitle(error))}\n${errorDescription(error)}`;
}

/**
 * Everything that is known about a failure, as it is: see `renderForEditor` and `toPlainText`. A chat shows nothing else.
 * It is never empty and never equal to the message, since n8n would drop it then.
 *
 * @param withAdvice Whether it says what to do.
 */
export function errorDescription(error: ServiceError, withAdvice = true): string {
	const advice = withAdvice ? findAdvice(error) : undefined;
	const text =
		error.kind === 'invalid'
			? (advice ?? 'Nothing was sent for this item.')
			: descriptionLines(error, advice);
	return needsOperator(error) ? `${text}\nSee the ${RUNBOOK_ADDRESS}` : text;
}

/** Without a full stop, which mail programs and chats would take as a part of the address. */
const RUNBOOK_ADDRESS = `runbook: ${RUNBOOK}`;
const RUNBOOK_LINK = `<a href="${RUNBOOK}" target="_blank">runbook</a>.`;

/** A description for the panel of n8n's editor, which renders it as HTML: the runbook is a link there. */
export const renderForEditor = (description: string): string =>
	escapeHtml(description).replace(RUNBOOK_ADDRESS, RUNBOOK_LINK);

/**
 * A title or a description for all who show or post it: a mail, Slack, a chat, a tooltip of the editor. Some of them render HTML, or take
 * `<!channel>` as a command, so nothing that a service says begins a tag.
 */
export const toPlainText = (text: string): string => text.replace(/<(?=\S)/g, '< ');

/**
 * Whether the runbook has a line for a failure: no money, a service that is down, a key, a rate limit, a file that is gone, a job that
 * does not end, an unknown outcome.
 */
const needsOperator = ({ kind, details }: ServiceError): boolean =>
	details.needsOperator === true ||
	details.outcome === 'unknown' ||
	details.code === 'content_expired' ||
	[401, 402, 410, 429].includes(details.status ?? 0) ||
	(details.status ?? 0) >= 500 ||
	kind === 'timeout' ||
	(kind === 'unreachable' && !details.permanent);

function descriptionLines(error: ServiceError, advice: string | undefined): string {
	const { kind, message, details } = error;
	const reason = isInTitle(error) ? undefined : details.reason;
	const { code, requestId, outcome, retryAfter, partial } = details;
	const lines = [
		reason && formatReason(kind, reason),
		advice,
		code && `Code: ${code}.`,
		retryAfter !== undefined && `The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		outcome && `Outcome: ${OUTCOME_TEXTS[outcome]}.`,
		formatPartial(partial, 1000),
		requestId && `Request ID: ${requestId}`,
	].filter(Boolean);
	return lines.length ? lines.join('\n') : `${message}. The service gave no further reason.`;
}

function formatReason(kind: ServiceError['kind'], reason: string): string {
	return `${KINDS_OF_THE_SERVICE.has(kind) ? 'The service says' : 'Reason'}: ${withFullStop(reason)}`;
}

/** Kinds of failure whose reason comes from the service. */
const KINDS_OF_THE_SERVICE = new Set<ServiceError['kind']>(['refused', 'malformed', 'failed']);

const OUTCOME_TEXTS = {
	not_started: 'nothing was started, nothing is charged',
	unknown: 'unknown; it may have been carried out, and may be charged',
	started: 'the service received it; what it did may be charged',
};

/** @param limit Characters that are shown. */
function formatPartial(partial: { text?: unknown } | undefined, limit: number): string | undefined {
	const text = partial?.text;
	if (typeof text !== 'string') return undefined;
	return text
		? `What arrived before (${text.length} characters): ${withFullStop(cutText(text, limit))}`
		: 'No text had arrived.';
}

/** For texts that n8n's editor renders as HTML. */
export const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Characters of the service's own words that an AI agent is given. */
const MAX_REASON_LENGTH = 500;
/** Characters of a truncated answer that an AI agent is given. */
const MAX_PARTIAL_LENGTH = 8000;

/**
 * A failure for an AI agent that called the node as its tool. The agent sees nothing else, and would often just retry. So the
 * message includes what the service says, what has arrived, and what to do now.
 */
export function agentErrorMessage(error: ServiceError): string {
	const { kind, details } = error;
	// a network error's own message is of no use to a model
	const isUseful = kind !== 'unreachable' && !isInTitle(error);
	const reason = isUseful && cutText(details.reason ?? '', MAX_REASON_LENGTH);
	return joinSentences(
		// what to do about a truncated answer is not for a model to decide
		withFullStop(kind === 'truncated' ? errorTitle(error) : errorMessage(error)),
		reason && formatReason(kind, reason),
		formatPartial(details.partial, MAX_PARTIAL_LENGTH),
		adviseAgent(error),
	);
}

const TELL_USER = 'Do not call this tool again now: tell the user';
const NOT_AGAIN = 'Do not make this call again: it would be charged again.';
/** A job that failed, or is still running, has advice of its own. */
const JOB_KINDS = new Set<ServiceError['kind']>(['failed', 'timeout']);

const waitText = (retryAfter: number | undefined) =>
	retryAfter === undefined ? 'a minute' : `${Math.ceil(retryAfter / 1000)} seconds`;

function adviseAgent({ kind, details }: ServiceError): string | undefined {
	const { status = 0, outcome, retryAfter, advice } = details;
	if (outcome === 'unknown') return `${TELL_USER}, who can check it.`;
	if (status === 402 || isUsedUp(details)) return `${TELL_USER}.`;
	if ([401, 403, 407].includes(status)) return `${TELL_USER} to check the credential of its node.`;
	if (status === 429)
		return `Nothing was started. Do not call this tool again for ${waitText(retryAfter)}.`;
	if (kind === 'unreachable' || status >= 500)
		return `${TELL_USER} that the service is not working.`;
	if (kind === 'truncated')
		return `What arrived is incomplete, and is charged anyway: say so where you use it. ${NOT_AGAIN}`;
	if (outcome === 'started' && !JOB_KINDS.has(kind)) return NOT_AGAIN;
	if (advice) return undefined;
	if (kind === 'invalid') return 'Nothing was sent. Correct what you gave to this tool.';
	return kind === 'refused' ? 'Correct what you gave to this tool, or tell the user.' : undefined;
}
