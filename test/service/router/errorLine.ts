import { data, event } from '../answer.ts';
import type { Forms } from '../forms.ts';

/** The line of a backend that failed in the middle: it has the key `error` (section 6C). */
export function errorLine(form: Forms['errorLine']): string {
	const code = 'backend_error';
	const message = 'The backend failed';
	switch (form) {
		case 'object':
			return data({ error: { code, message } });
		case 'object-without-code':
			return data({ error: { message } });
		case 'string':
			return data({ error: message });
		case 'string-with-code':
			return data({ error: message, code });
		case 'named':
			return event('error', { error: { code, message } });
	}
}
