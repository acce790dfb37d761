/** Limit up to which the server counts running and suspended executions. */
export const MAX_COUNTED = 100_000
