/** Writes the syntax elements of H.264. */
export interface Bits {
	/** A number of so many bits. */
	fixed(value: number, bits: number): void;
	/** An unsigned number in Exp-Golomb code: `ue(v)` of the standard. */
	unsigned(value: number): void;
	/** A signed one: `se(v)`. */
	signed(value: number): void;
	/** Fills the last byte with zeros, then takes whole bytes. */
	aligned(bytes: Uint8Array): void;
	/** The unit with its stop bit, and escaped: nothing in it looks like the start of another. */
	unit(): Buffer;
}

export function createBits(): Bits {
	const parts: Uint8Array[] = [];
	let open: number[] = [];
	let current = 0;
	let filled = 0;
	const bit = (value: number) => {
		current = (current << 1) | value;
		if (++filled < 8) return;
		open.push(current);
		current = filled = 0;
	};
	const bits: Bits = {
		fixed(value, count) {
			for (let at = count - 1; at >= 0; at--) bit((value >>> at) & 1);
		},
		unsigned(value) {
			const length = 31 - Math.clz32(value + 1);
			bits.fixed(0, length);
			bits.fixed(value + 1, length + 1);
		},
		signed: (value) => bits.unsigned(value > 0 ? value * 2 - 1 : -value * 2),
		aligned(bytes) {
			while (filled) bit(0);
			parts.push(Uint8Array.from(open), bytes);
			open = [];
		},
		unit() {
			bit(1);
			while (filled) bit(0);
			return escaped(Buffer.concat([...parts, Uint8Array.from(open)]));
		},
	};
	return bits;
}

/** Two zeros may not be followed by a byte below 4: a 3 is put between. */
function escaped(unit: Buffer): Buffer {
	const result: Buffer[] = [];
	let start = 0;
	for (let at = 2; at < unit.length; at++) {
		if (unit[at - 1] !== 0 || unit[at - 2] !== 0 || (unit[at] ?? 0) > 3) continue;
		// two zeros that an escape has separated from what follows count anew
		if (at - start < 2 && start > 0) continue;
		result.push(unit.subarray(start, at), Buffer.from([3]));
		start = at;
	}
	return Buffer.concat([...result, unit.subarray(start)]);
}
