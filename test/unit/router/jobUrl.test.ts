import { findJobIdInUrl, isUrl, withoutContent } from '../../../src/router/jobUrl';

it.each([
	['https://router.example/v1/images/jobs/job-1', 'job-1'],
	['https://router.example/v1/image/jobs/job-1/?a=1#b', 'job-1'],
	['/v1/videos/jobs/a%2Fb', 'a/b'],
	['/v1/videos/jobs/100%', '100%'],
	['https://router.example/jobs/jobs/7', '7'],
	['https://router.example/v1/images/jobs/', undefined],
	['https://router.example/v1/images', undefined],
	['https://router.example/?at=/jobs/7', undefined],
	['/v1/images/jobs/job-1/content', undefined],
])('%s: %s', (url, jobId) => {
	expect(findJobIdInUrl(url)).toBe(jobId);
});

it.each([
	['https://router.example/v1/images/jobs/job-1/content', 'job-1'],
	['https://router.example/v1/images/jobs/job-1/content/?download=1', 'job-1'],
	['https://router.example/v1/images/jobs/content/content', 'content'],
])('the URL of a file, %s: %s', (url, jobId) => {
	expect(findJobIdInUrl(withoutContent(url))).toBe(jobId);
});

it.each([
	['https://router.example/v1/images/jobs/7', true],
	['HTTP://router.example', true],
	['job-7', false],
	['https-job', false],
])('%s is a URL: %s', (text, expected) => {
	expect(isUrl(text)).toBe(expected);
});
