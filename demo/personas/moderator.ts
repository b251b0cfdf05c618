import { readFields } from './structured.ts';

/** A model that is asked who speaks next, as Agent Conversation asks it. */
export const isModeration = (message: string): boolean =>
	/^You moderate a conversation\b/.test(message);

/**
 * Names who has not spoken yet, and then alternates between the last two: one of them asked for a change. It is done once the last
 * one approves.
 */
export function moderator(message: string): string {
	const [, list = ''] = /\nThe speakers:\n([^]*?)\n\n/.exec(message) ?? [];
	const speakers = [...list.matchAll(/^- ([^:\n]+)/gm)].map(([, name = '']) => name);
	const [, talk = ''] = /\nThe conversation so far:\n\n([^]*)\n\nAnswer with/.exec(message) ?? [];
	const turns = talk.split(/\n\n/).flatMap((part) => {
		const speaker = speakers.find((name) => part.startsWith(`${name}: `));
		return speaker === undefined ? [] : [{ speaker, part }];
	});
	const last = turns.at(-1);
	const silent = speakers.find((name) => !turns.some(({ speaker }) => speaker === name));
	if (silent !== undefined) return silent;
	if (/\[APPROVED\]/.test(last?.part ?? '')) return 'DONE';
	return turns.findLast(({ speaker }) => speaker !== last?.speaker)?.speaker ?? '';
}

/** A model that is asked for the result of a conversation, as Agent Conversation asks it. */
export const isConclusion = (message: string): boolean =>
	/^Read a conversation that has ended\b/.test(message);

/** What the conversation says about each field of the schema. */
export function conclusion(message: string): string {
	const [, schema = '{}'] = /\nThe JSON schema of the result:\n(.*)\n/.exec(message) ?? [];
	const [, said = ''] = /\nThe conversation:\n\n([^]*)\n\nTake every value/.exec(message) ?? [];
	return JSON.stringify(readFields(JSON.parse(schema), said));
}
