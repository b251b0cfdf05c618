import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/**
 * Lists fields as the editor has them: name, type, default, when it is shown, description and choices.
 *
 * @param around Fields outside of the list that decide whether one of it is shown.
 * @param areAdded Whether they are the fields of a collection: each counts only if it is added.
 */
export function renderFields(
	fields: readonly INodeProperties[],
	around: readonly INodeProperties[] = fields,
	areAdded = false,
): string[] {
	return fields.flatMap((field) =>
		field.type === 'notice'
			? [`- _Note_: ${withFullStop(toMarkdown(field.displayName))}`]
			: renderField(field, [...fields, ...around], areAdded),
	);
}

/**
 * Lists the fields of several operations or credentials on one page: what is the same in an earlier list is not said again.
 *
 * @returns a function that lists the fields under a heading, with its link.
 */
export function createFieldLists() {
	const links = new Map<string, string>();
	return (fields: readonly INodeProperties[], link: string): string => {
		const repeated = new Map<string, Set<string>>();
		const once = (field: INodeProperties, isAdded: boolean): string[] => {
			if (field.type === 'collection') {
				const [head = '', ...more] = renderField({ ...field, options: [] }, fields, isAdded);
				const added = (field.options as INodeProperties[]).flatMap((one) => once(one, true));
				return added.length ? [head, ...more, ...added.map(indent)] : [];
			}
			const lines = renderFields([field], fields, isAdded);
			const text = lines.join('\n');
			const before = links.get(text);
			if (before === undefined) links.set(text, link);
			if (before === undefined || before === link) return lines;
			if (field.type === 'notice') return [];
			repeated.set(before, (repeated.get(before) ?? new Set()).add(`**${field.displayName}**`));
			return [];
		};
		const own = withoutTwins(fields).flatMap((field) => once(field, false));
		const others = [...repeated].map(
			([where, names]) => `- As in ${where}: ${[...names].join(', ')}.`,
		);
		return [...others, ...own].join('\n');
	};
}

/** Where the node is a tool of an AI agent, some fields have a twin that the model fills. */
const withoutTwins = (fields: readonly INodeProperties[]) =>
	fields.flatMap((field) => {
		const { displayName, description = '', displayOptions: { show = {} } = {} } = field;
		const { '@tool': asTool, ...more } = show;
		if (!asTool || fields.filter((one) => one.displayName === displayName).length < 2)
			return [field];
		const said = `${description && `${withFullStop(description)} `}In a tool of an AI agent, the model gives it.`;
		return asTool[0] ? [] : [{ ...field, description: said, displayOptions: { show: more } }];
	});

function renderField(
	field: INodeProperties,
	around: readonly INodeProperties[],
	isAdded: boolean,
): string[] {
	const { displayName, description = '', hint, options = [] } = field;
	const facts = [kindOf(field), ...(field.required ? ['required'] : []), defaultOf(field, isAdded)];
	const shown = shownWhen(field, around);
	const said = [description, hint].filter((text) => text).map((text) => withFullStop(text!));
	const line =
		`- **${displayName}** (${facts.filter(Boolean).join(', ')}). ${said.join(' ')}`.trim();
	return [
		line,
		...(shown ? [`  - Shown when ${shown}.`] : []),
		...within(options, around).map(indent),
	];
}

const indent = (line: string) => `  ${line}`;

/** The choices of a field, or the fields in it. */
function within(
	options: NonNullable<INodeProperties['options']>,
	around: readonly INodeProperties[],
): string[] {
	const fields = options.filter((one): one is INodeProperties => 'type' in one);
	return [
		...renderFields(fields, around, true),
		...options.flatMap((one) => {
			if ('values' in one) return renderFields((one as INodePropertyCollection).values, around);
			if ('type' in one) return [];
			const { name, description } = one as INodePropertyOptions;
			return [`- _${name}_${description ? `: ${withFullStop(description)}` : ''}`];
		}),
	];
}

const KINDS: Partial<Record<INodeProperties['type'], string>> = {
	boolean: 'on or off',
	collection: 'optional fields',
	fixedCollection: 'group of fields',
	json: 'JSON',
	multiOptions: 'any of the choices',
	options: 'one of the choices',
	resourceLocator: 'from the list, or by ID',
};

function kindOf({ type, typeOptions = {} }: INodeProperties): string {
	const { minValue, maxValue, password, multipleValues } = typeOptions;
	if (type === 'fixedCollection' && multipleValues) return 'list of groups of fields';
	if (type === 'number' && minValue !== undefined)
		return maxValue === undefined
			? `number, ${minValue} or more`
			: `number, ${minValue} to ${maxValue}`;
	if (type === 'string') return password ? 'text, kept secret' : 'text';
	return KINDS[type] ?? type;
}

function defaultOf(
	{ type, default: preset, options = [] }: INodeProperties,
	isAdded: boolean,
): string {
	// a boolean shows, when it is added, the opposite of what applies without it
	if (type === 'boolean' && isAdded) return preset ? 'off unless added' : 'on unless added';
	if (type === 'boolean') return `default: ${preset ? 'on' : 'off'}`;
	if (type === 'options' || type === 'multiOptions') {
		const names = [preset].flat().map((value) => labelOf(options, value));
		return names.length && names[0] !== '' ? `default: ${names.join(', ')}` : '';
	}
	if (String(preset).includes('$fromAI')) return 'default: what the model gives';
	const hasDefault = ['string', 'number'].includes(type) && preset !== '' && preset !== undefined;
	return hasDefault ? `default: \`${String(preset)}\`` : '';
}

const labelOf = (options: NonNullable<INodeProperties['options']>, value: unknown): string =>
	options.find((one) => 'value' in one && one.value === value)?.name ?? (String(value) || 'empty');

/** What has to be chosen elsewhere; the operation itself is the heading. */
function shownWhen(
	{ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties,
	around: readonly INodeProperties[],
): string {
	const conditions = (chosen: NonNullable<typeof show>, not = '') =>
		Object.entries(chosen)
			.filter(([name]) => !['resource', 'operation'].includes(name))
			.map(([name, values]) => conditionOf(name, [...(values ?? [])], around, not));
	return [...conditions(show), ...conditions(hide, ' not')].join('; and ');
}

function conditionOf(
	name: string,
	values: readonly unknown[],
	around: readonly INodeProperties[],
	not: string,
): string {
	if (name === '@tool') {
		const isTool = (values[0] === true) === (not === '');
		return isTool ? 'the node is a tool of an AI agent' : 'the node is not a tool of an AI agent';
	}
	const field = around.find((one) => one.name === name.replace('/', ''));
	const labels = values.map((value) =>
		typeof value === 'boolean' ? (value ? 'on' : 'off') : labelOf(field?.options ?? [], value),
	);
	// of several choices at once
	const verb = field?.type === 'multiOptions' ? 'has' : 'is';
	return `**${field?.displayName ?? name}** ${verb}${not} ${labels.map((one) => `_${one}_`).join(' or ')}`;
}

/** Notices are HTML. */
const toMarkdown = (html: string): string =>
	html
		.replace(/<\/?b>/g, '**')
		.replace(/<br\s*\/?>/g, ' ')
		// a button of the editor
		.replace(/\s*<a data-action[^>]*>[^<]*<\/a>/g, '')
		.replace(/<[^>]*>/g, '');

/** The link to a heading, as GitHub makes it. */
export const anchorOf = (title: string): string =>
	title
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
		.replaceAll(' ', '-');

export const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** JSON as Prettier writes it: short lists of values on one line. */
export function formatJson(value: unknown): string {
	const list = /\[\s+((?:"[^"]*"|[\d.]+)(?:,\s+(?:"[^"]*"|[\d.]+))*)\s+\]/g;
	return JSON.stringify(value, null, '\t').replace(
		list,
		(_all, inside: string) => `[${inside.replace(/\s*\n\s*/g, ' ')}]`,
	);
}
