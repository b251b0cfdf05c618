import type { TextAnswer, TextChoice, ToolCall } from '../../../src/router/textAnswer';

/** The fields of an answer for the output, without protocol details. @param outputs Of a structured answer, in place of its texts. */
export const simplifyAnswer = (
	{ choices, ...answer }: TextAnswer,
	outputs: readonly object[],
): object => ({
	...simplifyChoice(answer, outputs[0]),
	...(choices && { answers: choices.map((choice, at) => simplifyChoice(choice, outputs[at])) }),
});

const simplifyChoice = ({ text, toolCalls, ...rest }: TextChoice, output?: object): object => ({
	...(output ?? { output: text }),
	...rest,
	...(toolCalls.length && { toolCalls: toolCalls.map(withInputField) }),
});

/** n8n's expressions cannot read a field called "arguments", so its value is in "input" as well. */
const withInputField = (call: ToolCall) => ({ ...call, input: call.arguments });
