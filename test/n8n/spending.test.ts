import { spendingCases } from './spendingCases';

spendingCases();
