import { oneOfEachKind } from './bridge.ts';
import { errorCases } from './errorCases.ts';

errorCases(oneOfEachKind);
