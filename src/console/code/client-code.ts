import type { AnyCall } from '../api/call.ts'
import type { CodeCredential } from './request-code.ts'

export interface ClientCall {
  /** The endpoint's key in the client. */
  readonly key: string
  readonly call: Omit<AnyCall, 'signal'>
  readonly isStream: boolean
  readonly baseUrl: string
  readonly credential?: CodeCredential
}

const CREDENTIAL_OPTIONS = {
  bypass: ', dev: true',
  key: ', consoleKey: process.env.SERVICE_CONSOLE_ACCESS_KEY',
  token: ', token: process.env.ACCESS_TOKEN',
} as const

/** A call as TypeScript with `agentserver/client`. */
export function clientCode({ key, call, isStream, baseUrl, credential }: ClientCall): string {
  const defined = Object.fromEntries(
    Object.entries(call).filter(([, part]) => part !== undefined && !isEmpty(part)),
  )
  const argument = Object.keys(defined).length === 0 ? '' : JSON.stringify(defined, null, 2)
  const invoked = `client.${key}(${argument})`
  return [
    "import { createClient } from 'agentserver/client'",
    '',
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}${credential ? CREDENTIAL_OPTIONS[credential] : ''} })`,
    isStream ? `for await (const event of ${invoked}) console.log(event)` : `const data = await ${invoked}`,
  ].join('\n')
}

function isEmpty(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.keys(part).length === 0
}
