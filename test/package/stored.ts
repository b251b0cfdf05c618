import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

type Property = INodeProperties;

/**
 * Everything of a node that saved workflows rely on, one line each: names of parameters with their type, their default,
 * which n8n does not store, and the values of options.
 */
export function storedByNode({
	name,
	version,
	credentials = [],
	properties,
}: INodeTypeDescription): string[] {
	const lines = [
		`${name}: version ${[version].flat().join(', ')}`,
		...credentials.map((credential) => `${name}: credential ${credential.name}`),
		...properties
			// n8n's own, which it puts before those of a trigger
			.filter((property) => property.name !== 'pollTimes')
			.flatMap((property) => linesOf(`${name}${scopeOf(property)}`, property)),
	];
	// a field for tools is declared a second time
	return [...new Set(lines)];
}

export function storedByCredential({ name, properties }: ICredentialType): string[] {
	return properties.flatMap((property) => linesOf(name, property));
}

function linesOf(place: string, { name, type, options = [], default: preset }: Property): string[] {
	if (type === 'notice') return [];
	const path = `${place}.${name}`;
	const line = `${path}: ${type}, default ${JSON.stringify(preset)}`;
	if (type === 'options' || type === 'multiOptions')
		return [
			line,
			...(options as INodePropertyOptions[]).map(
				({ value }) => `${path} = ${JSON.stringify(value)}`,
			),
		];
	const nested = options.flatMap((option) => {
		if ('values' in option)
			return option.values.flatMap((value) => linesOf(`${path}.${option.name}`, value));
		return 'type' in option ? linesOf(path, option as Property) : [];
	});
	return [line, ...nested];
}

/** The resource and operation that a parameter belongs to; none where it belongs to several resources. */
export function scopeOf({ displayOptions }: Property): string {
	const { resource = [], operation = [] } = displayOptions?.show ?? {};
	if (resource.length > 1) return '';
	return [resource, operation]
		.map((values) => values.join('|'))
		.filter(Boolean)
		.map((value) => ` ${value}`)
		.join('');
}
