import {
	deepCopy,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
	type IPollFunctions,
	isToolType,
} from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { findCaller } from './caller';
import { definedByModel } from './definedByModel';
import {
	isEmptyValue,
	mayParamBeEmpty,
	rejectEmptyExpressions,
	type EvaluationContext,
	type EvaluatedParam,
} from './emptyExpressions';
import { hasExpression, isShown } from './expressions';
import { rejectModelControlledFields } from './modelControlledFields';
import { validateParam } from './parameterValidation';

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
 * Makes a parameter reader for one execution. It checks every value against its declaration, nested ones included: an expression
 * can give any type, and n8n's own `ensureType` neither checks collections nor distinguishes "false" from true. A parameter that
 * its `displayOptions` hide reads as its default.
 *
 * Rejects an expression that finds nothing, and in an AI agent's tool one that the model must not influence.
 *
 * A parameter without an expression is the same for every item, and read once. A parameter with `noDataExpression` rejects
 * expressions: n8n leaves those that an AI model fills (n8n-workflow 2.41.0, node-helpers.js:730).
 *
 * @returns a function that throws ServiceError `invalid`, naming the parameter.
 */
export function createParamReader<const P extends readonly INodeProperties[]>(
	n8n: IExecuteFunctions,
	params: P,
) {
	const { parameters, type } = n8n.getNode();
	const asTool = isToolType(type);
	const isSpeaker = findCaller(n8n) === 'conversation';
	const changing = new Set(
		params.flatMap(({ name }) => (hasExpression(parameters[name]) ? [name] : [])),
	);
	const fixed = new Map<string, unknown>();

	const read = (
		param: INodeProperties,
		itemIndex: number,
		topLevel: EvaluationContext['topLevel'],
	): unknown => {
		const stored = parameters[param.name];
		if (param.noDataExpression && changing.has(param.name))
			throw invalidInputError(`${param.displayName} takes no expression`, 'Choose it in the node.');
		if (asTool) rejectModelControlledFields(n8n, param, stored);
		// n8n's "Retry" loses what $fromAI reads, from the second turn on (n8n-workflow 2.41.0, workflow-data-proxy.js:905)
		const value: unknown =
			isSpeaker && stored === definedByModel(param.displayName)
				? n8n.getInputData()[itemIndex]?.json['message']
				: n8n.getNodeParameter(param.name, itemIndex, deepCopy(param.default));
		const evaluate = (code: string) => n8n.evaluateExpression(code, itemIndex);
		return resolveParamValue(param, { stored, value }, { asTool, evaluate, topLevel });
	};

	return (itemIndex: number): ParamValues<P> => {
		const values: Record<string, unknown> = {};
		for (const param of params) {
			const { name } = param;
			const isHidden = !isShown(param, values, values, asTool);
			// declared twice, for a tool and for other nodes: the one that is shown counts
			if (isHidden && Object.hasOwn(values, name)) continue;
			const key = isHidden ? `hidden ${name}` : name;
			if (!fixed.has(key)) {
				values[name] = isHidden ? getDefaultValue(param) : read(param, itemIndex, values);
				if (isHidden || !changing.has(name)) fixed.set(key, values[name]);
			} else values[name] = fixed.get(key);
		}
		return values as ParamValues<P>;
	};
}

/**
 * The checked value of a parameter; its default if its expression found nothing and may do so.
 *
 * @throws ServiceError `invalid`, naming the parameter.
 */
function resolveParamValue(
	param: INodeProperties,
	{ stored, value }: EvaluatedParam,
	context: EvaluationContext,
): unknown {
	rejectEmptyExpressions(param, { stored, value }, param.displayName, context);
	const isLeftOut = isEmptyValue(value) && mayParamBeEmpty(param, context.topLevel);
	return isLeftOut ? getDefaultValue(param) : validateParam(param, value, param.displayName);
}

const getDefaultValue = (param: INodeProperties): unknown =>
	validateParam(param, deepCopy(param.default), param.displayName);

/**
 * Reads the parameters of a poll, each checked against its declaration. They are evaluated for every poll. Rejects an expression
 * that finds nothing or fails (n8n then gives nothing).
 *
 * @throws ServiceError `invalid`, naming the parameter.
 */
export function readPollParams<const P extends readonly INodeProperties[]>(
	n8n: IPollFunctions,
	params: P,
): ParamValues<P> {
	const { parameters } = n8n.getNode();
	const values: Record<string, unknown> = {};
	for (const param of params) {
		const { name } = param;
		const read = (): unknown => {
			const value: unknown = n8n.getNodeParameter(name, deepCopy(param.default));
			const evaluated = { stored: parameters[name], value };
			return resolveParamValue(param, evaluated, { asTool: false, topLevel: values });
		};
		values[name] = isShown(param, values, values, false) ? read() : getDefaultValue(param);
	}
	return values as ParamValues<P>;
}
