import type { Opener, RequestCode } from './request-code.ts'
import { shellQuoted } from './shell-quoted.ts'

/** A request as a curl command for a POSIX shell. Secrets are variables of the shell. */
export function curlCode({ method, url, headers = {}, body, opener }: RequestCode): string {
  const named = Object.keys(headers).map((name) => name.toLowerCase())
  const sent = [
    ...(body !== undefined && !named.includes('content-type') ? ["-H 'Content-Type: application/json'"] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...openerOption(opener),
  ]
  const parts = [
    // -N: events are shown as they come
    `curl -sN ${method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...sent,
    ...(body === undefined ? [] : [`-d ${shellQuoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function openerOption(opener: Opener): string[] {
  if (opener === 'bypass') return ["-H 'x-service-dev: true'"]
  if (opener === 'key') return ['-H "x-console-access-key: $SERVICE_CONSOLE_ACCESS_KEY"']
  return opener === 'token' ? ['-H "Authorization: Bearer $ACCESS_TOKEN"'] : []
}
