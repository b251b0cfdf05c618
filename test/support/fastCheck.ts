import fc from 'fast-check';

import { CASES } from './cases';

fc.configureGlobal({ numRuns: CASES });

/** Any character, common ones more often. The library's own unit, `binary`, takes a second and a half to be made. */
export const character = fc
	.oneof(
		fc.integer({ min: 0, max: 0xff }),
		fc.integer({ min: 0x100, max: 0xd7ff }),
		fc.integer({ min: 0xe000, max: 0x10ffff }),
	)
	.map((code) => String.fromCodePoint(code));

export default fc;
