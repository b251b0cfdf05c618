import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
} from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { invalid } from '../service/errors';
import { checked } from './paramChecks';

/** The values of a list of parameters, typed from their own literals. */
export type ParamValues<P extends readonly INodeProperties[]> = {
	[Param in P[number] as Param['name']]: ParamValue<Param>;
};

type ParamValue<P extends INodeProperties> = P extends {
	type: 'string' | 'resourceLocator' | 'dateTime';
}
	? string
	: P extends { type: 'number' }
		? number
		: P extends { type: 'boolean' }
			? boolean
			: P extends { type: 'options'; options: ReadonlyArray<{ value: infer V }> }
				? V
				: P extends { type: 'multiOptions'; options: ReadonlyArray<{ value: infer V }> }
					? V[]
					: P extends { type: 'json' }
						? P extends { default: `[${string}` }
							? unknown[]
							: IDataObject
						: P extends { type: 'collection'; options: infer O extends readonly INodeProperties[] }
							? Partial<ParamValues<O>>
							: P extends {
										type: 'fixedCollection';
										options: ReadonlyArray<
											infer G extends { name: string; values: readonly INodeProperties[] }
										>;
								  }
								? { [Group in G as Group['name']]?: Array<ParamValues<Group['values']>> }
								: unknown;

/**
 * Makes a reader of parameters for one execution. It checks every value against its declaration, nested ones included: an
 * expression can yield anything whatever the parameter's type, and n8n's own `ensureType` neither looks inside collections
 * nor tells "false" from true. A parameter hidden by its `displayOptions` reads as its default.
 *
 * A parameter without an expression is the same for every item, and read once. One that is declared to take none takes none:
 * n8n leaves those that an AI model fills (n8n-workflow 2.41.0, node-helpers.js:730).
 *
 * @returns a function that throws ServiceError `invalid`, naming the parameter.
 */
export function paramReader<const P extends readonly INodeProperties[]>(
	n8n: IExecuteFunctions,
	params: P,
) {
	const typed = n8n.getNode().parameters;
	const fixed = new Map<string, unknown>();
	return (itemIndex: number): ParamValues<P> =>
		Object.fromEntries(
			params.map((param) => {
				if (fixed.has(param.name)) return [param.name, fixed.get(param.name)];
				if (param.noDataExpression && hasExpression(typed[param.name]))
					throw invalid(`${param.displayName} takes no expression`, 'Choose it in the node.');
				const fallback = deepCopy(param.default);
				const value = n8n.getNodeParameter(param.name, itemIndex, fallback);
				const result = checked(param, value, param.displayName);
				if (!hasExpression(typed[param.name])) fixed.set(param.name, result);
				return [param.name, result];
			}),
		) as ParamValues<P>;
}

function hasExpression(value: INodeParameters[string] | undefined): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}
