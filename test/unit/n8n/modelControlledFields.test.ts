import type { INodeProperties } from 'n8n-workflow';

import {
	isIndependentOfModel,
	rejectModelControlledFields,
	withFieldRules,
} from '../../../src/n8n/parameterFields';
import { executeContext } from './executeContext';

const mayRead = (name: string) => name === 'Chat' || name === "It's" || name === 'A "B"';

it.each([
	'=fixed',
	'={{ $execution.id }}',
	'=order-{{ $execution.id }}-{{ $workflow.id }}',
	"={{ $('Chat').item.json.sessionId }}",
	'={{ $("Chat").first().json["sessionId"] }}',
	"={{ $('It\\'s').last().json.a.b['c d'] }}",
	'={{ $("A \\"B\\"").item.json }}',
	"={{ $('Chat').item.json.$json }}",
	"={{$vars.tenant}}-{{ $vars['the region'] }}-{{ $today }}",
	'={{ $now.year }}-{{\n$now.month\n}}',
	'={{ $workflow.name }}',
])('%s reads nothing of what a model gives', (expression) => {
	expect(isIndependentOfModel(expression, mayRead)).toBe(true);
});

it.each([
	"={{ $fromAI('key', 'The key', 'string') }}",
	"={{ $fromai('key') }}",
	'={{ $json.sessionId }}',
	'={{ $json["sessionId"] }}',
	"={{ $json?.['session' + 'Id'] }}",
	'=a-{{ $json.id }}',
	"=a-{{ $('Chat').item.json.id }}-{{ $json.id }}",
	'={{ $input.item.json.id }}',
	'={{ $input.first().json.id }}',
	'={{ $data.id }}',
	'={{ $binary.data.fileName }}',
	'={{ $item(0).$json.id }}',
	'={{ $items()[0].json.id }}',
	'={{ $thisItem.json.id }}',
	'={{ $node["Chat"].json.id }}',
	'={{ $parameter.message }}',
	'={{ $tool.parameters.id }}',
	'={{ $prevNode.name }}',
	'={{ $itemIndex }}',
	'={{ $env.KEY }}',
	'={{ $execution.customData.get("id") }}',
	'={{ $execution["customData"] }}',
	'={{ $execution }}',
	'={{ $evaluateExpression("{{ $json.id }}") }}',
	'={{ $jmespath($json, "id") }}',
	'={{ $("Tool").last().json.id }}',
	'={{ $("Chat", $json.id).item.json.id }}',
	'={{ $(`Chat`).item.json.id }}',
	'={{ $($json.node).item.json.id }}',
	"={{ $('Ch' + 'at').item.json.id }}",
	'={{ $.item }}',
	'={{ $() }}',
	"={{ $('\\x43hat').item.json.id }}",
	"={{ $('Chat').item.json[$json.id] }}",
	"={{ $('Chat').all().map((item) => item.json.id) }}",
	'={{ [...$json.ids][0] }}',
	'={{ `${$json.id}` }}',
	'={{ this.$json.id }}',
	'={{ globalThis }}',
	'={{ (() => $json.id)() }}',
	'={{ { id: $json.id }.id }}',
	"={{ /'/ + $json.id + /'/ }}",
	"={{ /* ' */ $json.id /* ' */ }}",
	"={{ 1 // ' \n + $json.id + ' }}",
	"={{ '\n' + $json.id + '\n' }}",
	'={{ \\u0024json.id }}',
	'={{ $now }}{{ $json.id }}',
	'={{ $json.id',
	'={{ DateTime.now() }}',
	'={{ ＄json }}',
	// what is harmless, but no plain path
	'={{ $vars.tenant + "-" + $today }}',
	"={{ $('Chat').item.json.id ?? 'none' }}",
	"={{ $('Chat').item.json.id.trim() }}",
	"={{ $now.toFormat('yyyy') }}",
	"={{ 'text' }}",
	// other ways to what the model gives
	'={{ $parameter["message"] }}',
	'={{ $rawParameter.message }}',
	'={{ $input.params.message }}',
	'={{ $getWorkflowStaticData("global").id }}',
	'={{ $self.id }}',
	'={{ $vars[$json.id] }}',
	'={{ $execution.id + $json.id }}',
	'={{ $execution.id, $json.id }}',
	'={{ $execution.id.replace(/.*/, $json.id) }}',
	'={{ $execution.resumeUrl }}',
	'={{ $workflow[$json.id] }}',
	'={{ $workflowData }}',
	'={{ $now.plus($json.days) }}',
	"={{ $('Chat').params.text }}",
	"={{ $('Chat').params.json.text }}",
	"={{ $('Chat').context.id }}",
	"={{ $('Chat').item.binary.data }}",
	"={{ $('Chat').itemMatching($json.index).json.id }}",
	"={{ $('Chat').first($json.branch).json.id }}",
	"={{ $('Chat').item.json['id' + $json.id] }}",
	"={{ $('Chat').item.json['{{ $json.id }}'] }}",
	"={{ $('Chat}} {{ $json.id }}').item.json.id }}",
	"={{ $('').item.json.id }}",
	// what only looks as if it were text
	'=\\{{ $execution.id }}{{ $json.id }}',
	'=\\\\{{ $json.id }}',
	'={{ $execution.id {{ $json.id }} }}',
	'={{{ $json.id }}}',
	"=\\{{ $('Chat').item.json['{{ $json.id //'] }}",
	'={{ $execution.id \\}} + $json.id }}',
])('%s is not trusted', (expression) => {
	expect(isIndependentOfModel(expression, mayRead)).toBe(false);
});

describe('a field that the model must not choose', () => {
	const fixed = withFieldRules({ inTool: 'fixed' });
	const notFromModel = withFieldRules({ inTool: 'notFromModel' });
	const declare = (type: INodeProperties['type'], more: Partial<INodeProperties> = {}) =>
		({ displayName: 'Field', name: 'field', type, default: '', ...more }) as INodeProperties;
	const text = fixed(declare('string', { displayName: 'Cap', name: 'cap' }));
	const key = notFromModel(declare('string', { displayName: 'Key', name: 'key' }));
	const open = declare('string', { displayName: 'Text', name: 'text' });
	const collection = declare('collection', { options: [text, key, open] });
	const rows = declare('fixedCollection', {
		typeOptions: { multipleValues: true },
		options: [{ displayName: 'Row', name: 'row', values: [key, open] }],
	});
	const nested = declare('collection', {
		options: [{ ...rows, displayName: 'Rows', name: 'rows' }],
	});
	const model = '={{ $json.given }}';
	const check = (param: INodeProperties, stored: unknown) => () =>
		rejectModelControlledFields(executeContext({}), param, stored);

	it.each<[string, INodeProperties, unknown, string]>([
		['in a collection', collection, { text: model, cap: '={{ 1 }}' }, 'Field: Cap takes no'],
		[
			'in a collection, not fixed',
			collection,
			{ key: `=a ${model.slice(1)}` },
			'Field: Key has an',
		],
		['in a row', rows, { row: [{ key: 'a' }, { key: model }] }, 'Field 2: Key has an'],
		['in a row that is no list', rows, { row: { key: model } }, 'Field 1: Key has an'],
		[
			'in rows in a collection',
			nested,
			{ rows: { row: [{ key: model }] } },
			'Field: Rows 1: Key has',
		],
		[
			'with the rule of its collection',
			notFromModel(collection),
			{ text: model },
			'Field: Text has an',
		],
		[
			'with the rule of its rows',
			fixed(rows),
			{ row: [{ text: '={{ 1 }}' }] },
			'Field 1: Text takes',
		],
		['in place of a collection', collection, model, 'Field takes no'],
		['in place of all rows', rows, model, 'Field takes no'],
		['in place of the rows of a group', rows, { row: model }, 'Field 1 takes no'],
		['in place of a row', rows, { row: [{}, model] }, 'Field 2 takes no'],
		['in place of rows in a collection', nested, { rows: model }, 'Field: Rows takes no'],
		[
			'in a resource locator',
			notFromModel(declare('resourceLocator')),
			{ __rl: true, mode: 'id', value: model },
			'Field has an',
		],
		[
			'in its mode',
			fixed(declare('resourceLocator')),
			{ mode: model, value: 'a' },
			'Field takes no',
		],
		[
			'in a JSON text',
			notFromModel(declare('json')),
			`={"a": "${model.slice(1)}"}`,
			'Field has an',
		],
		[
			'in JSON that is stored as an object',
			fixed(declare('json')),
			{ a: [{ b: model }] },
			'Field: a: b takes',
		],
		['in a list of choices', fixed(declare('multiOptions')), ['a', model], 'Field takes no'],
	])('takes no expression of the model %s', (_where, param, stored, message) => {
		expect(check(param, stored)).toThrow(
			expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(message) }),
		);
	});

	it.each<[string, INodeProperties, unknown]>([
		['a fixed value', collection, { cap: '1', key: 'a' }],
		['an expression in a field beside it', collection, { text: model, cap: '1' }],
		['an expression in a row beside it', nested, { rows: { row: [{ text: model, key: 'a' }] } }],
		['what the model cannot influence', rows, { row: [{ key: '={{ $execution.id }}' }] }],
		['nothing', nested, undefined],
	])('takes %s', (_what, param, stored) => {
		expect(check(param, stored)).not.toThrow();
	});
});
