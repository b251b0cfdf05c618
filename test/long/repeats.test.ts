import { furtherOperations } from '../n8n/bridge.ts';
import { repeatCases } from '../n8n/repeatCases.ts';

repeatCases(furtherOperations);
