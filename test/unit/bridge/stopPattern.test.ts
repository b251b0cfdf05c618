import { toPattern } from '../../../src/bridge/ending';

it('a pattern that would keep JavaScript busy for hours ends a conversation, or does not, at once', () => {
	const bomb = `${'a'.repeat(50_000)}!`;
	const { test, removeFrom } = toPattern('/^(a+)+$/i');
	expect([test(bomb), test(bomb.slice(0, -1)), removeFrom(bomb)]).toEqual([false, true, bomb]);
});

it.each([
	['yes(?=!)', 'Looking ahead, with (?= or (?!, is not supported.'],
	['(a)\\1', 'A reference back to a group is not supported.'],
	['/a/v', 'The flag "v" is not supported.'],
	['(', 'Invalid regular expression: /(/: Unterminated group.'],
])('refuses %s and says why', (written, advice) => {
	expect(() => toPattern(written)).toThrow(
		expect.objectContaining({ message: 'Stop Pattern cannot be used', details: { advice } }),
	);
});
