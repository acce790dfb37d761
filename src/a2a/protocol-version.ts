export type ProtocolVersion = '1.0' | '0.3'

/**
 * The protocol version of a request (A2A 1.0, section 3.6), from the header or query parameter `A2A-Version`;
 * `undefined` when it is not supported. Without the header the specification assumes 0.3, but the method names
 * differ, so the version is inferred from the method.
 */
export function protocolVersion(
  requested: string | null | undefined,
  method: unknown,
): ProtocolVersion | undefined {
  const version = (requested ?? '').trim()
  if (version === '') return typeof method === 'string' && method.includes('/') ? '0.3' : '1.0'
  if (/^1(\.0){0,2}$/.test(version)) return '1.0'
  return /^0\.3(\.\d+)?$/.test(version) ? '0.3' : undefined
}
