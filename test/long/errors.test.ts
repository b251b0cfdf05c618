import { furtherOperations } from '../n8n/bridge.ts';
import { errorCases } from '../n8n/errorCases.ts';

errorCases(furtherOperations);
