import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { Api } from '../api/api.ts'
import { queryOf } from './log-filters.ts'
import type { LogFilters } from './log-filters.ts'

const PAGE = '1000'
/** Maximum number of records in a file, about 50 MB. */
const MAX_RECORDS = 100_000

/** All matching records as NDJSON, oldest first; only the newest beyond the limit. */
export async function allLogs(
  api: Api,
  filters: LogFilters,
): Promise<{ readonly text: string; readonly count: number; readonly isTruncated: boolean }> {
  const records: LogRecord[] = []
  let cursor = ''
  do {
    const query = { ...queryOf(filters), limit: PAGE, ...(cursor !== '' && { cursor }) }
    const { data, headers } = await api.request('listLogs', { query })
    records.push(...data)
    cursor = headers.get('x-next-cursor') ?? ''
  } while (cursor !== '' && records.length < MAX_RECORDS)
  const text = records.toReversed().map((record) => `${JSON.stringify(record)}\n`)
  return { text: text.join(''), count: records.length, isTruncated: cursor !== '' }
}
