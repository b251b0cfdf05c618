/** Arithmetic in which what was not measured stays unknown. */

export const minus = (one: number | undefined, other: number | undefined) =>
	one === undefined || other === undefined ? undefined : one - other;

export const over = (one: number | undefined, other: number | undefined) =>
	one === undefined || !other ? undefined : one / other;
