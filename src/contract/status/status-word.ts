/** Words for values of the API, so that the console and the command line have one word for each status. */
const WORDS: Readonly<Record<string, string | undefined>> = {
  ok: 'completed',
  success: 'completed',
  error: 'failed',
  aborted: 'cancelled',
}

/** The word for a status of the API, for people: `failed` for `error`. */
export function statusWord(status: string): string {
  return (Object.hasOwn(WORDS, status) && WORDS[status]) || status
}
