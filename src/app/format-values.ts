// The formats of figures and names, the same for terminal and reports.
export { calculateSpending, formatCost } from '../domain/budget/spending.ts'
export { describeSandbox } from '../domain/settings/sandbox-level.ts'
export { shellQuote } from '../domain/text/shell-quote.ts'
export { truncateMiddle } from '../domain/text/truncate.ts'
export { describeReadError, describeWriteError } from '../preflight/file-errors.ts'
export { formatTimeSpent } from './report/render/text.ts'
