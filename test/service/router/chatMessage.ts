import type { Forms } from '../forms.ts';
import type { Choice } from './plan.ts';
import { argumentsOf } from './toolCalls.ts';

/** The message of a choice that came whole. */
export function chatMessage(choice: Choice, forms: Forms): object {
	const { thoughts, words, refuses, tools } = choice;
	const text = words.join('');
	return {
		role: 'assistant',
		...(thoughts.length && { reasoning_content: thoughts.join('') }),
		content: refuses || tools.length ? null : text,
		...(refuses && { refusal: text }),
		...(tools.length && {
			tool_calls: tools.map((tool) => ({
				id: tool.id,
				type: 'function',
				function: { name: tool.name, arguments: argumentsOf(tool, forms.toolFragments) },
			})),
		}),
	};
}
