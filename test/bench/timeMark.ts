/** Milliseconds of a clock that all processes of the machine share. */
export const sharedNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A piece of text that tells when it was written. */
export const timeMark = (): string => `<${sharedNow()}>`;

/** When the pieces in a text were written. */
export const timesIn = (text: string): number[] =>
	Array.from(text.matchAll(/<(\d+(?:\.\d+)?)>/g), ([, time]) => Number(time));
