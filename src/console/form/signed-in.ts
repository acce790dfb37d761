import { useSyncExternalStore } from 'react'
import { parseJson } from '../json/parse-json.ts'
import { useServices } from '../services/services-context.tsx'
import { isObject } from './json-schema.ts'

/**
 * The user whose token the console sends: the id, else the e-mail address, else the name. Undefined in development, and
 * for tokens that are no JWT. It only fills in a field: the server records who the token proves.
 */
export function useSignedInUser(): string | undefined {
  const { credentials } = useServices()
  const token = useSyncExternalStore(credentials.subscribe, () => credentials.get('token'))
  return token === undefined ? undefined : userIn(token)
}

const CLAIMS = ['sub', 'email', 'name']

function userIn(token: string): string | undefined {
  const [, payload = ''] = token.split('.')
  const claims = parseJson(decoded(payload))?.value
  if (!isObject(claims)) return undefined
  return CLAIMS.map((name) => claims[name]).find((claim) => typeof claim === 'string' && claim !== '') as
    | string
    | undefined
}

function decoded(base64url: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    )
    return new TextDecoder().decode(bytes)
  } catch {
    // not a JWT
    return ''
  }
}
