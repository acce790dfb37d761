import { AppError } from '../../lib/errors.ts'

/** The maximum number of entries of a list. */
const MAX_ENTRIES = 10_000

/** The maximum number of pages of a list, and so of requests. */
const MAX_PAGES = 1000

/** The maximum size of a list as JSON, in characters. */
const MAX_LIST_SIZE = 10 * 1024 * 1024

export interface ListPage<T> {
  readonly entries: readonly T[]
  readonly nextCursor: string | undefined
}

/**
 * Requests the pages of a server's list one after the other.
 *
 * @throws AppError `unavailable` when the list exceeds a limit or returns a cursor twice: it may never end.
 */
export async function listPages<T>(
  list: string,
  request: (cursor: string | undefined) => Promise<ListPage<T>>,
): Promise<T[]> {
  const all: T[] = []
  const cursors = new Set<string>()
  let size = 0
  for (let cursor: string | undefined; ;) {
    const { entries, nextCursor } = await request(cursor)
    all.push(...entries)
    size += JSON.stringify(entries).length
    if (nextCursor === undefined) return all
    if (cursors.has(nextCursor)) throw endless(list, 'a page is repeated')
    cursors.add(nextCursor)
    if (all.length >= MAX_ENTRIES) throw endless(list, `more than ${MAX_ENTRIES} entries`)
    if (cursors.size >= MAX_PAGES) throw endless(list, `more than ${MAX_PAGES} pages`)
    if (size >= MAX_LIST_SIZE) throw endless(list, `more than ${MAX_LIST_SIZE} bytes`)
    cursor = nextCursor
  }
}

function endless(list: string, reason: string): AppError {
  return new AppError('unavailable', `The list of ${list} is too long: ${reason}`)
}
