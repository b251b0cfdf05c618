import {
	isWebPage,
	describeWebPage,
	extractPageText,
	malformedResponseError,
	isErrorValue,
	parseErrorBody,
	refusedRequestError,
} from '../../../src/core/errorResponses';
import { response } from '../inMemoryHttp';

const PAGE =
	'\n<!DOCTYPE html><html><head><title>502 Bad\n Gateway &amp; more</title><style>.a{}</style></head><body><script>let x = "<p>";</script><h1>Bad &lt;Gateway&gt;</h1><p>nginx</p></body></html>';

it.each<[string, string, boolean]>([
	[PAGE, '', true],
	['<html lang="en"><head>', 'text/plain', true],
	['<html lang> is a tag', 'text/plain', false],
	['<html lang> is a tag', '', true],
	['<b>Hi</b>', 'text/plain', false],
	['<b>Hi</b>', '', false],
	['<p>Log in', 'text/html; charset=utf-8', true],
	['Hello', 'text/html', false],
	['{"a":"<html>"}', 'text/html', false],
	['<?xml version="1.0"?><Error/>', 'application/xml', true],
	['<htmlx>', '', false],
])('%j of the type %j is a page: %s', (text, type, is) => {
	expect(isWebPage(text, type)).toBe(is);
});

it('of a page the title is said, and nothing else', () => {
	expect(describeWebPage(PAGE)).toBe('An HTML page: "502 Bad Gateway & more"');
	expect(describeWebPage('<html><body>x')).toBe('An HTML page');
	expect(describeWebPage(`<title>${'x'.repeat(999)}</title>`)).toBe(
		`An HTML page: "${'x'.repeat(200)}…"`,
	);
	const xml =
		'<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>It is gone.</Message></Error>';
	expect(describeWebPage(xml)).toBe('An XML document: NoSuchKey: It is gone.');
});

it('the words of a page come without its markup', () => {
	expect(extractPageText(PAGE)).toBe('502 Bad\nGateway & more Bad <Gateway> nginx');
});

it.each([['<'], ['<title '], ['<title>'], ['<script>'], ['<!--'], ['< '], ['&lt;']])(
	'a hundred thousand times %j is read in no time',
	(part) => {
		const text = part.repeat(100_000);
		expect(describeWebPage(text)).toContain('An HTML page');
		expect(typeof extractPageText(text)).toBe('string');
	},
);

it('a page in place of an error is not poured into its details', () => {
	const page = { headers: { 'content-type': 'text/html' } };
	const said = 'An HTML page: "502 Bad Gateway & more"';
	expect(refusedRequestError(response({ ...page, status: 502 }), PAGE).details).toMatchObject({
		reason: said,
	});
	expect(
		refusedRequestError(response({ ...page, status: 404 }), '<pre>Cannot GET /x</pre>').details,
	).toMatchObject({
		reason: 'An HTML page',
	});
	expect(malformedResponseError(response(page), PAGE).details).toMatchObject({ reason: said });
	expect(parseErrorBody({ error: { message: PAGE, code: 'bad' } })).toEqual({
		reason: said,
		code: 'bad',
	});
});

it.each<[unknown, boolean]>([
	[undefined, false],
	[null, false],
	[false, false],
	['', false],
	['  ', false],
	[0, false],
	[200, false],
	[{}, false],
	[[], false],
	[[null], false],
	['none', false],
	['No error', false],
	[{ code: 0, message: 'success' }, false],
	[{ code: null, message: '', details: [] }, false],
	[true, true],
	['quota', true],
	[1, true],
	[500, true],
	[{ code: 'x' }, true],
	[{ message: 'boom' }, true],
	[[{ msg: 'boom' }], true],
])('a field "error" of %j reports something: %s', (error, does) => {
	expect(isErrorValue(error)).toBe(does);
});
