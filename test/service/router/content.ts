import type { Answer } from '../answer.ts';
import { directivesOf, numberIn } from '../directives.ts';
import { mediaFile, padded } from '../media/file.ts';
import type { World } from '../world.ts';
import { routerError } from './error.ts';
import { isExpired, type Job } from './job.ts';

/** GET …/content (sections 3 and 7C); type and shape of the file are not shown. */
export function jobContent(world: World, job: Job): Answer {
	if (job.state !== 'completed') {
		return routerError(409, 'job_not_completed', `Job ${job.id} is not completed`);
	}
	if (isExpired(world, job)) {
		return routerError(410, 'content_expired', `The file of job ${job.id} is gone`);
	}
	const { contentType, contentDisposition, contentLength } = world.forms;
	const file = mediaFile(job);
	const size = numberIn(directivesOf(job.prompt), 'size') ?? file.bytes.length;
	const headers: Record<string, string> = {
		'content-type': contentType === 'right' ? file.type : contentType,
	};
	if (contentDisposition !== 'missing') {
		headers['content-disposition'] =
			contentDisposition === 'attachment'
				? `attachment; filename="${job.kind}-${job.id.replaceAll(/[^\w-]/g, '_')}.${file.extension}"`
				: contentDisposition;
	}
	if (contentLength === 'present') headers['content-length'] = String(size);
	return { status: 200, headers, body: padded(file.bytes, size) };
}
