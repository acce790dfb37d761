/** The pairs of a list in OpenTelemetry's form: `key=value,key=value`, with percent-encoded values. */
export function otelEnvList(list: string | undefined): Record<string, string> {
  const pairs = (list ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    const key = pair.slice(0, at).trim()
    return at < 1 || key === '' ? [] : [[key, decodeValue(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

/** The pairs of a list as HTTP headers. Pairs that are no valid header are left out. */
export function otelHeaders(list: string | undefined): Record<string, string> {
  const headers = Object.entries(otelEnvList(list)).filter(([name, value]) => isHeader(name, value))
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // the value is not percent-encoded
    return value
  }
}
