import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { checked } from './paramChecks';
import type { ParamValues } from './params';

/**
 * Reads the parameters of a poll, each checked against its declaration. They are evaluated anew for every poll.
 *
 * @throws ServiceError `invalid`, naming the parameter.
 */
export function pollParams<const P extends readonly INodeProperties[]>(
	n8n: IPollFunctions,
	params: P,
): ParamValues<P> {
	return Object.fromEntries(
		params.map((param) => {
			const value: unknown = n8n.getNodeParameter(param.name, deepCopy(param.default));
			return [param.name, checked(param, value, param.displayName)];
		}),
	) as ParamValues<P>;
}
