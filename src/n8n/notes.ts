import type { IExecuteFunctions } from 'n8n-workflow';

/** n8n keeps ten values per execution, each of at most 512 characters; it complains in the log above 255. */
const [MAX_LENGTH, MAX_KEYS] = [255, 3];

/**
 * Writes an id under which work is found at the service to the log and into the execution's custom data at once: after Stop
 * n8n keeps no output of the node.
 */
export function noteId(n8n: IExecuteFunctions, name: string, id: string): void {
	if (!id) return;
	n8n.logger.info(`${name} ${id}`, {
		node: n8n.getNode().name,
		execution: n8n.getExecutionId(),
	});
	try {
		for (let number = 1; number <= MAX_KEYS; number++) {
			const key = number === 1 ? name : `${name}${number}`;
			const noted = n8n.customData.get(key);
			if (noted?.split(', ').includes(id)) return;
			const value = noted ? `${noted}, ${id}` : id;
			if (value.length <= MAX_LENGTH) return n8n.customData.set(key, value);
		}
	} catch (cause) {
		// what was started goes on, whether or not it could be noted a second time
		n8n.logger.debug('The id could not be kept in the custom data', { id, cause });
	}
}
