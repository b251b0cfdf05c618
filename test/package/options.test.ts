import type { INodeProperties } from 'n8n-workflow';

import { renderFields } from '../../scripts/docs/fields';
import { allNodes, renderNodePages } from '../../scripts/docs/nodePages';

// A boolean in a collection shows, when it is added, the opposite of what applies without it: it is added to change that.
// Which of the two applies, only the code knows: the pages say what follows from the default.

/** Every boolean, with whether it counts only if it is added. */
const findBooleans = (
	fields: readonly INodeProperties[],
	isAdded = false,
): Array<INodeProperties & { isAdded: boolean }> =>
	fields.flatMap((field) => {
		if (field.type === 'boolean') return [{ ...field, isAdded }];
		const { options = [] } = field;
		return [
			...findBooleans(
				options.filter((one): one is INodeProperties => 'type' in one),
				true,
			),
			...options.flatMap((one) => ('values' in one ? findBooleans(one.values) : [])),
		];
	});

const booleans = allNodes.flatMap(({ defaults, properties }) =>
	findBooleans(properties).map((field) => ({ node: defaults.name, field })),
);
const pages = renderNodePages();

it('finds the booleans', () => {
	const added = booleans.filter(({ field }) => field.isAdded);
	expect(added.length).toBeGreaterThan(10);
	expect(added.length).toBeLessThan(booleans.length);
});

it.each(booleans.map(({ node, field }) => [node, field.displayName, field] as const))(
	'the page of %s says what applies without %s',
	(node, displayName, { isAdded, default: preset }) => {
		const [shown, other] = preset ? ['on', 'off'] : ['off', 'on'];
		const page = pages.find(({ text }) => text.startsWith(`# ${node}\n`))?.text;
		const fact = isAdded ? `${other} unless added` : `default: ${shown}`;
		expect(page).toContain(`- **${displayName}** (on or off, ${fact}). `);
	},
);

it.each([
	[true, 'off unless added'],
	[false, 'on unless added'],
])('an option that shows %j when it is added is %s', (preset, fact) => {
	const option = { displayName: 'A', name: 'a', type: 'boolean', default: preset } as const;
	const collection = { displayName: 'B', name: 'b', type: 'collection', default: {} } as const;
	expect(renderFields([{ ...collection, options: [option] }])).toContain(
		`  - **A** (on or off, ${fact}).`,
	);
});
