/** A person's decision about what an agent waits for. `text` is one in words. */
export type Decision = 'approve' | 'decline' | 'text';

export const isDecision = (value: unknown): value is Decision =>
	value === 'approve' || value === 'decline' || value === 'text';

/** Characters that a person is shown of what waits. Slack takes 3,000 in a text, and a conversation adds how to answer. */
export const MAX_SHOWN = 2_400;
