import { mediaToolCases } from '../n8n/mediaToolCases.ts';
import { toolChoiceCases } from '../n8n/toolChoiceCases.ts';

// an older AI Agent, which gives its tools their arguments in another way
mediaToolCases(2.2);
toolChoiceCases(2.2);
