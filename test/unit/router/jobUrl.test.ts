import { findJobId, findJobIdInUrl } from '../../../src/router/jobRecord';

it.each([
	['https://router.example/v1/images/jobs/job-1', 'job-1'],
	['https://router.example/v1/image/jobs/job-1/?a=1#b', 'job-1'],
	['/v1/videos/jobs/a%2Fb', 'a/b'],
	['/v1/videos/jobs/100%', '100%'],
	['https://router.example/jobs/jobs/7', '7'],
	['https://router.example/v1/images/jobs/', undefined],
	['https://router.example/v1/images', undefined],
	['https://router.example/?at=/jobs/7', undefined],
	['/v1/images/jobs/job-1/content', 'job-1'],
	['/v1/images/jobs/job-1/files', undefined],
])('%s: %s', (url, jobId) => {
	expect(findJobIdInUrl(url)).toBe(jobId);
});

it.each([
	['https://router.example/v1/images/jobs/job-1', 'job-1'],
	['https://router.example/v1/images/jobs/job-1/content', 'job-1'],
	[' HTTPS://router.example/v1/images/jobs/job-1/content/?download=1 ', 'job-1'],
	['https://router.example/v1/images/jobs/content/content', 'content'],
	['https://router.example/v1/images', undefined],
	[' job-7 ', 'job-7'],
	['https-job', 'https-job'],
	['/v1/images/jobs/7', '/v1/images/jobs/7'],
])('typed: %s is the job %s', (typed, jobId) => {
	expect(findJobId(typed)).toBe(jobId);
});
