import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { MAX_ANSWER_BYTES } from '../../../src/core/body';
import { messageOf } from '../../../src/core/errors';
import { toBody } from '../../../src/core/http';
import type { Uses } from '../../../src/n8n/operation';
import { decodeFile } from '../../../src/router/answerFiles';
import type { AnswerFile } from '../../../src/router/textAnswer';

/** The field of the first file. Values are stored: workflows name it. */
const FIELD = 'data';

/** Of one answer. Far more than any has. */
const MAX_FILES = 100;

/**
 * Stores the files that came within an answer. The answer is paid for: a file that cannot be stored stays in the JSON, with the reason. So do
 * files after the first hundred, and those that are left when the execution is stopped.
 *
 * @param soundFormat As the request asks for it.
 */
export async function storeFiles(
	{ storeFile, clock }: Uses<'storeFile' | 'clock'>,
	files: readonly AnswerFile[],
	soundFormat: unknown,
): Promise<{ files: IDataObject[]; binary: IBinaryKeyData }> {
	const binary: IBinaryKeyData = {};
	const described: IDataObject[] = [];
	const soundType = typeof soundFormat === 'string' ? `audio/${soundFormat}` : undefined;
	for (const [at, file] of files.slice(0, MAX_FILES).entries()) {
		const { family, mimeType, base64 } = file;
		const field = at ? `${FIELD}_${at}` : FIELD;
		const wanted = { baseName: `${family}-${at + 1}`, family, maxSizeMib: MAX_SIZE_MIB };
		try {
			// decoding blocks everything else; and this throws after Stop
			await clock.sleep(0);
			const response = {
				status: 200,
				headers: { 'content-type': mimeType || soundType },
				body: toBody(decodeFile(file, soundFormat)),
			};
			const stored = await storeFile(response, wanted);
			binary[field] = stored.binary;
			described.push({ binaryProperty: field, ...stored.file });
		} catch (cause) {
			described.push({ notStored: messageOf(cause), mimeType, base64 });
		}
	}
	const others = files.slice(MAX_FILES).map(({ mimeType, base64 }) => ({
		notStored: `An answer may have at most ${MAX_FILES} files`,
		mimeType,
		base64,
	}));
	return { files: [...described, ...others], binary };
}

/** An answer is never larger. */
const MAX_SIZE_MIB = MAX_ANSWER_BYTES / 1024 / 1024;
