/** The server counts no further than this what is open. */
export const MOST_COUNTED = 100_000
