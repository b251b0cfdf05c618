import { json, text, type Answer } from '../answer.ts';
import type { World } from '../world.ts';

/** An error of A; its shape is not specified (section 7A). */
export function agentError(world: World, status: number, code: string, message: string): Answer {
	switch (world.forms.agentError) {
		case 'error-object':
			return json({ error: { code, message } }, status);
		case 'detail':
			return json({ detail: message }, status);
		case 'text':
			return text(message, status);
	}
}
