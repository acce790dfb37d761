import type { CodeCredential, RequestCode } from './request-code.ts'
import { shellQuote } from './shell-quote.ts'

/** A request as a curl command for a POSIX shell. Secrets are shell variables. */
export function curlCode({ method, url, headers = {}, body, credential }: RequestCode): string {
  const named = Object.keys(headers).map((name) => name.toLowerCase())
  const sent = [
    ...(body !== undefined && !named.includes('content-type') ? ["-H 'Content-Type: application/json'"] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...credentialOption(credential),
  ]
  const parts = [
    // -N: prints events without buffering
    `curl -sN ${method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `}${shellQuote(url)}`,
    ...sent,
    ...(body === undefined ? [] : [`-d ${shellQuote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function credentialOption(credential: CodeCredential): string[] {
  if (credential === 'bypass') return ["-H 'x-service-dev: true'"]
  if (credential === 'key') return ['-H "x-console-access-key: $SERVICE_CONSOLE_ACCESS_KEY"']
  return credential === 'token' ? ['-H "Authorization: Bearer $ACCESS_TOKEN"'] : []
}
