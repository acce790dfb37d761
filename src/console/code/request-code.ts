/** The credential of a copied request: code refers to it by name and never contains it. */
export type CodeCredential = 'key' | 'token' | 'bypass' | undefined

/** A request to show as code. */
export interface RequestCode {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The raw body. */
  readonly body?: string | undefined
  readonly credential?: CodeCredential
}

/** The credentials of this page. */
interface HeldCredentials {
  readonly bypass: boolean
  get(kind: 'key' | 'token'): string | undefined
}

/** The credential that a copied request needs: the one that this page sends. */
export function credentialFor(held: HeldCredentials, kind: 'key' | 'token'): CodeCredential {
  if (held.bypass) return 'bypass'
  return held.get(kind) === undefined ? undefined : kind
}
