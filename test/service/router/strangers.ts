import { data, event } from '../answer.ts';

/**
 * Events between those that count. A client that adds up every `delta`, or takes every data line for
 * an object, goes wrong on them.
 */
const STRANGERS = [
	event('response.mystery.delta', { type: 'response.mystery.delta', delta: 'no text' }),
	data(42),
	data({ type: 'response.mystery', text: 'no text', response: { status: 'unknown' } }),
	data(null),
	event('ping', { type: 'ping' }),
	data(['no text']),
	data('"no text"'),
	data(true),
	data({}),
];

/** Any of them, in turn. */
export const stranger = (number: number): string => STRANGERS[number % STRANGERS.length] ?? '';
