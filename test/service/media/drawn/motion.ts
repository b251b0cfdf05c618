/** Where in the frame before a block comes from, in pixels to the right and down. */
export type Motion = readonly [x: number, y: number];

const NONE: Motion = [0, 0];

/** A block beside: undefined when there is none, null when it was not copied. */
type Beside = Motion | null | undefined;

/** What a decoder expects from the blocks beside (8.4.1.3): the middle of three, or the only one that was copied. */
export function mostLikely(
	moved: ReadonlyArray<Motion | undefined>,
	index: number,
	across: number,
): Motion {
	const { left, above, corner } = beside(moved, index, across);
	if (left !== undefined && above === undefined && corner === undefined) return left ?? NONE;
	const copied = [left, above, corner].filter((each) => each != null);
	if (copied.length === 1) return copied[0] ?? NONE;
	return [0, 1].map((axis) => {
		const values = [left, above, corner].map((each) => each?.[axis] ?? 0);
		return values.sort((one, other) => one - other)[1] ?? 0;
	}) as unknown as Motion;
}

/** What a block that is skipped comes from (8.4.1.1). */
export function skipMotion(
	moved: ReadonlyArray<Motion | undefined>,
	index: number,
	across: number,
): Motion {
	const { left, above } = beside(moved, index, across);
	if (left === undefined || above === undefined) return NONE;
	const rests = (each: Beside) => each?.[0] === 0 && each[1] === 0;
	return rests(left) || rests(above) ? NONE : mostLikely(moved, index, across);
}

function beside(moved: ReadonlyArray<Motion | undefined>, index: number, across: number) {
	const at = (place: number): Beside => moved[place] ?? null;
	const [isFirst, isLast] = [index % across === 0, index % across === across - 1];
	const above = index < across ? undefined : at(index - across);
	// the one above at the right, or at the left where there is none
	const right = index < across || isLast ? undefined : at(index - across + 1);
	const left = index < across || isFirst ? undefined : at(index - across - 1);
	return {
		left: isFirst ? undefined : at(index - 1),
		above,
		corner: right === undefined ? left : right,
	};
}
