import { useEndpoint } from '../api/use-endpoint.ts'
import type { LogRecord } from '../../contract/endpoints/log.ts'

/** A record by its id: a loaded one, or fetched. */
export function useLogRecord(id: string, known: LogRecord | undefined): LogRecord | undefined {
  const isId = /^\d{1,15}$/.test(id)
  const cursor = isId ? String(BigInt(id) + 1n) : '0'
  const { data } = useEndpoint(
    'listLogs',
    { query: { limit: '1', cursor } },
    { enabled: isId && known === undefined },
  )
  if (id === '') return undefined
  return known ?? data?.find((record) => record.id === id)
}
