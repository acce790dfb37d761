export type ProtocolVersion = '1.0' | '0.3'

/**
 * The version of the protocol that a client speaks (A2A 1.0, section 3.6), by what it says in the header or the
 * query `A2A-Version`. `undefined` when we don't speak it. A client that says nothing means 0.3 by the letter;
 * the names of the methods tell the two apart, so one that forgot the header is understood as well.
 */
export function protocolVersion(
  said: string | null | undefined,
  method: unknown,
): ProtocolVersion | undefined {
  const version = (said ?? '').trim()
  if (version === '') return typeof method === 'string' && method.includes('/') ? '0.3' : '1.0'
  if (/^1(\.0){0,2}$/.test(version)) return '1.0'
  return /^0\.3(\.\d+)?$/.test(version) ? '0.3' : undefined
}
