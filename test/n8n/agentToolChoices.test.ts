import { toolChoiceCases } from './toolChoiceCases.ts';

toolChoiceCases(3);
