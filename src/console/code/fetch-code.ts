import type { RequestCode } from './request-code.ts'

/** A request as JavaScript with `fetch`. Secrets are environment variables. */
export function fetchCode(request: RequestCode): string {
  const { method, url, body } = request
  const headers = headerLines(request)
  const isPlain = method === 'GET' && headers.length === 0
  const init = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${headers.join('\n')}\n  },`]),
    ...(body === undefined ? [] : [`  body: ${bodyText(body)},`]),
  ]
  const call = isPlain ? '' : `, {\n${init.join('\n')}\n}`
  return `const response = await fetch(${JSON.stringify(url)}${call})`
}

function headerLines({ headers = {}, body, credential }: RequestCode): string[] {
  const named = Object.keys(headers).map((name) => name.toLowerCase())
  const lines = Object.entries(headers).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  if (body !== undefined && !named.includes('content-type'))
    lines.unshift("    'Content-Type': 'application/json',")
  if (credential === 'bypass') lines.push("    'x-service-dev': 'true',")
  if (credential === 'key') lines.push("    'x-console-access-key': process.env.SERVICE_CONSOLE_ACCESS_KEY,")
  if (credential === 'token') lines.push('    Authorization: `Bearer ${process.env.ACCESS_TOKEN}`,')
  return lines
}

/** A JSON body as a value, any other as a string. */
function bodyText(body: string): string {
  try {
    const value = JSON.stringify(JSON.parse(body), null, 2)
    return `JSON.stringify(${value.replaceAll('\n', '\n  ')})`
  } catch {
    return JSON.stringify(body)
  }
}
