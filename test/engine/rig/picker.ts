import { LoadOptionsContext } from 'n8n-core';
import type { ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';

import type { Secrets } from './credentials';
import { additionalData, ours, workflowOf } from './flow';

/** What the editor gives to the list of a field of a node. @param type Without the package's prefix, e.g. `modelRouter`. */
export function pickerOf(
	type: string,
	field: string,
	{ credential, parameters = {} }: { credential: string; parameters?: INodeParameters },
	secrets: Secrets,
): ILoadOptionsFunctions {
	const node = ours('Node', type, { credential, parameters });
	const { workflow, credentials } = workflowOf({ nodes: [node], wires: [], secrets });
	const data = additionalData(workflow, credentials, 'internal');
	return new LoadOptionsContext(workflow, node, data, field) as unknown as ILoadOptionsFunctions;
}
