/**
 * The default of a text in a tool: the model of the AI agent writes it, or the conversation hands it over. The editor shows it as
 * "Defined automatically by the model", because it is what n8n itself stores for that (n8n-workflow 2.41.0, constants.js:168).
 *
 * @param label The field's name in the editor, one word. It is the name of the model's argument.
 */
export const definedByModel = <const Label extends string>(label: Label) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${label}', \`\`, 'string') }}` as const;
