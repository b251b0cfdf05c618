import type { IExecuteFunctions } from 'n8n-workflow';

import { connect } from './connection';
import type { Opened, Call } from './operation';
import type { Redactor } from './redact';
import type { RequestSettings } from './settings';

/**
 * Opens further services of a node, each once per execution.
 *
 * @param redact Learns their keys.
 */
export function opener(
	n8n: IExecuteFunctions,
	settings: RequestSettings,
	redact: Redactor,
): Call<never>['open'] {
	const opened = new Map<string, Promise<Opened>>();
	return async (access) => {
		const known =
			opened.get(access.credential) ??
			connect(n8n, access, settings, { outlivesStop: true, redact });
		opened.set(access.credential, known);
		return await known;
	};
}
