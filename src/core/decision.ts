/** A person's decision about what an agent waits for. `text` is one in words. */
export type Decision = 'approve' | 'decline' | 'text';

export const isDecision = (value: unknown): value is Decision =>
	value === 'approve' || value === 'decline' || value === 'text';
