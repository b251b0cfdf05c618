import type { ServiceError } from '../service/errors';
import { ended, partialSentence, reasonSentence, sentence } from './errorWords';

/** Characters of the service's own words, and of a broken answer, that an AI agent is given. */
const [MOST_OF_REASON, MOST_OF_PARTIAL] = [500, 8000];

/**
 * A failure for an AI agent that called the node as its tool. It sees nothing else, and by itself would often just try again:
 * so it is told what the service says, what has arrived, and what to do now.
 */
export function sentenceForAgent(error: ServiceError): string {
	const { kind, details } = error;
	// the network's own words tell a model nothing, and n8n has other ones for them
	const reason = kind === 'unreachable' ? undefined : details.reason?.slice(0, MOST_OF_REASON);
	return [
		ended(sentence(error)),
		reason && reasonSentence(kind, reason),
		partialSentence(details.partial, MOST_OF_PARTIAL),
		nextStep(error),
	]
		.filter(Boolean)
		.join(' ');
}

const TELL = 'Do not call this tool again now: tell the user';

function nextStep({ kind, details }: ServiceError): string | undefined {
	const { status = 0, outcome, retryAfter, advice = '' } = details;
	if (outcome === 'unknown') return `${TELL}, who can check it.`;
	if (status === 401 || status === 403 || status === 407)
		return `${TELL} to check the credential of its node.`;
	if (status === 402) return `${TELL}.`;
	if (status === 429) {
		const wait = retryAfter === undefined ? 'a minute' : `${Math.ceil(retryAfter / 1000)} seconds`;
		return `Nothing was started. Do not call this tool again for ${wait}.`;
	}
	if (kind === 'unreachable' || status >= 500) return `${TELL} that the service does not work.`;
	if (kind === 'cut')
		return 'What arrived is incomplete, and is charged all the same: say so where you use it.';
	if (advice) return undefined;
	if (kind === 'invalid') return 'Nothing was sent. Correct what you gave to this tool.';
	return kind === 'refused' ? 'Correct what you gave to this tool, or tell the user.' : undefined;
}
