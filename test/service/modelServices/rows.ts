import { DEEP_SEEK } from './deepSeek.ts';
import { GATEWAYS } from './gateways.ts';
import { HOSTS } from './hosts.ts';
import { HUGGING_FACE } from './huggingFace.ts';
import { LOCAL } from './local.ts';
import { MORE_GATEWAYS } from './moreGateways.ts';
import { MORE_HOSTS } from './moreHosts.ts';
import { OPEN_AI } from './openAi.ts';
import { OPEN_ROUTER } from './openRouter.ts';
import type { Row } from './row.ts';
import { VENDORS } from './vendors.ts';
import { X_AI } from './xAi.ts';

/** The services that people have; each claim has its source beside it. */
export const ROWS: readonly Row[] = [
	OPEN_ROUTER,
	...GATEWAYS,
	...MORE_GATEWAYS,
	HUGGING_FACE,
	...OPEN_AI,
	...VENDORS,
	DEEP_SEEK,
	...HOSTS,
	X_AI,
	...MORE_HOSTS,
	...LOCAL,
];

/** @throws where there is no service of that name */
export function rowOf(name: string): Row {
	const row = ROWS.find((one) => one.name === name);
	if (!row) throw new Error(`no row of the name ${name}`);
	return row;
}
