/** SQLite takes 32,766 values in a statement. */
const ROWS_AT_A_TIME = 500

/** Takes many rows by few statements. */
export async function insertRows<Row>(
  rows: readonly Row[],
  insert: (some: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) await insert(rows.slice(from, from + ROWS_AT_A_TIME))
}
