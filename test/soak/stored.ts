import { BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

import { Container } from '../engine/rig/container';

const files = () => Container.get(BinaryDataService);

/** Lets n8n keep files in its folder, as it does outside of queue mode. */
export const storeInFolder = async (): Promise<void> => await files().init();

/** The bytes of an item's file, read back from where n8n keeps it. */
export async function readStored(file: IBinaryData): Promise<Buffer> {
	if (!file.id) throw new Error('the file is in the item itself, not in the binary store');
	return await files().getAsBuffer(file);
}
