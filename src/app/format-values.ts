// The formats of figures and names, the same for terminal and reports.
export { calculateSpending, formatCost, formatDollars } from '../domain/budget/spending.ts'
export { describeSandbox } from '../domain/settings/sandbox-level.ts'
export { measureWidth, truncatePath, truncateToColumns } from '../domain/text/display-width.ts'
export { shellQuote } from '../domain/text/shell-quote.ts'
export { truncateMiddle } from '../domain/text/truncate.ts'
export { describeReadError, describeWriteError } from '../preflight/file-errors.ts'
export { formatTimeSpent } from './report/render/text.ts'
