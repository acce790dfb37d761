/** The server counts no further than this what is open. */
export const MAX_COUNTED = 100_000
