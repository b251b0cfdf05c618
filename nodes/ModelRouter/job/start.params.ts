import type { INodeProperties } from 'n8n-workflow';

import type { Check } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/params';
import { checkKind } from '../../../src/router/kinds';
import { kindOf } from '../../../src/router/segments';
import { invalid } from '../../../src/service/errors';
import { knownModel } from '../catalog';
import { modelParam } from '../model.param';
import { segmentParam } from './job.params';

/** What starts a media job. The specification does not show the body of a start, beyond that a model is chosen. */
export const startParams = [
	segmentParam,
	modelParam,
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. A lighthouse in the fog, watercolour',
		description: 'What to make. Sent as "prompt"; left out when empty.',
	},
	{
		displayName: 'Parameters',
		name: 'parameters',
		type: 'json',
		default: '{}',
		description:
			'Further fields of the request as a JSON object, sent as they are, e.g. {"size": "1024x1024"}. Which ones a model takes is up to the model.',
	},
] as const satisfies INodeProperties[];

export function toStart({ segment, model, prompt, parameters }: ParamValues<typeof startParams>) {
	const fields: Record<string, unknown> = { model: model.trim(), ...(prompt && { prompt }) };
	for (const name of Object.keys(fields)) {
		if (name in parameters)
			throw invalid(`Parameters must not contain "${name}"`, 'It has a field of its own above.');
	}
	return { segment, model: model.trim(), body: { ...fields, ...parameters } };
}

/** Refuses a model that makes something else than the segment does. */
export async function checkStart({
	request: { segment, model },
	known,
}: Check<Pick<ReturnType<typeof toStart>, 'segment' | 'model'>>): Promise<void> {
	const entry = await knownModel({ known }, model);
	if (entry) checkKind(entry, kindOf(segment));
}
