import { invalidInputError } from '../../../src/core/errors';
import { readKeyText } from '../../../src/core/keyText';
import { withFieldRules } from '../../../src/n8n/parameterFields';

/** Of everything that pays. */
export const spendingLabelOption = withFieldRules({ isKey: true, inTool: 'notFromModel' })({
	displayName: 'Spending Label',
	name: 'spendingLabel',
	type: 'string',
	default: '',
	placeholder: 'e.g. a customer, for the record of spending',
});

const MAX_LABEL_LENGTH = 100;

/** @param ofConversation What the conversation hands over in which the node speaks. @throws ServiceError `invalid`. */
export function readSpendingLabel(own = '', ofConversation?: unknown): string {
	const given = (typeof ofConversation === 'string' && ofConversation) || own;
	const label = readKeyText('Spending Label', given);
	if (label.length <= MAX_LABEL_LENGTH) return label;
	throw invalidInputError(
		`Spending Label is longer than ${MAX_LABEL_LENGTH} characters`,
		'Nothing was sent. Use an ID or a short name.',
	);
}
