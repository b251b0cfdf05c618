import { mapServiceError } from './errors';

/** A Map or a WeakMap. */
interface PromiseCache<Key, Value> {
	get(key: Key): Promise<Value> | undefined;
	set(key: Key, value: Promise<Value>): unknown;
	delete(key: Key): unknown;
}

/**
 * Runs an action once and shares its result among all callers. A failure is not cached: the next caller runs the action again.
 *
 * @throws what the action throws.
 */
export async function shareUntilFailure<Key, Value>(
	cache: PromiseCache<Key, Value>,
	key: Key,
	action: () => Promise<Value>,
): Promise<Value> {
	const shared = cache.get(key) ?? action();
	cache.set(key, shared);
	try {
		return await shared;
	} catch (cause) {
		if (cache.get(key) === shared) cache.delete(key);
		throw mapServiceError(cause);
	}
}
