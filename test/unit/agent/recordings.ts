import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a client of the framework shows: a text, several messages with white space between them, or one of these. */
type ExpectedText = string | { parts: string[] } | { anyOf: ExpectedText[] };

/** One answer of a real server, its bytes unchanged: recordings.md says how it was made. */
export interface Recording {
	framework: string;
	/** Of its package, or `read` for an example from its documentation. */
	version: string;
	case: string;
	source: string;
	question?: string;
	status: number;
	contentType: string;
	/** The connection broke behind the body. */
	broke?: boolean;
	expectedOutcome: 'complete' | 'error' | 'partial';
	expectedText: ExpectedText;
	/** The agent has stopped to ask: the question follows the expected text. */
	waits?: boolean;
	/** The row of the table that recognizes it; none for an answer that the plain rule reads. */
	dialect?: string;
	body: string;
}

/** Another file can be read with AGENT_BRIDGE_RECORDINGS. */
export const recordings: Recording[] = readFileSync(
	process.env['AGENT_BRIDGE_RECORDINGS'] ?? join(__dirname, 'recordings.ndjson'),
	'utf8',
)
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as Recording);

export const nameOf = ({ framework, version, case: what }: Recording) =>
	`${framework} ${version} ${what}`;

/** A pattern for the answers that are right. What an agent that waits asks for is worded by the reader. */
export const patternOfAnswer = ({ expectedText, waits = false }: Recording) =>
	`^(${patternOf(expectedText)})${waits ? '\\s*\\S[^]*' : ''}$`;

/** A pattern for the texts that are right. */
export function patternOf(expected: ExpectedText): string {
	if (typeof expected === 'string') return escaped(expected);
	if ('anyOf' in expected) return expected.anyOf.map((each) => `(${patternOf(each)})`).join('|');
	return `${expected.parts.map((part) => escaped(part.trim())).join('\\s*')}\\s*`;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** The same stream, ended regularly after this part of its events; undefined for a body that is none. */
export function cutOf(recording: Recording, share: number): Recording | undefined {
	const { body } = recording;
	const separator = /^(data|event|id)[: ]/m.test(body) ? '\n\n' : '\n';
	const events = body.split(separator).filter((event) => event.trim());
	const isStream = events.length > 2 && (separator === '\n\n' || events.every(isRecord));
	if (!isStream) return undefined;
	const kept = events.slice(0, Math.ceil(events.length * share)).join(separator);
	return { ...recording, body: kept + separator };
}

const isRecord = (line: string) => /^(\{|[\da-k]:)/.test(line);
