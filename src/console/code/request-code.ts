/** What opens a request that is copied: code names it, and never holds it. */
export type CodeCredential = 'key' | 'token' | 'bypass' | undefined

/** A request to be written down as code. */
export interface RequestCode {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** As it is sent. */
  readonly body?: string | undefined
  readonly credential?: CodeCredential
}

/** What this page holds. */
interface Held {
  readonly bypass: boolean
  get(kind: 'key' | 'token'): string | undefined
}

/** What the copied request has to bring along on this server: the same that this page brings. */
export function credentialFor(held: Held, kind: 'key' | 'token'): CodeCredential {
  if (held.bypass) return 'bypass'
  return held.get(kind) === undefined ? undefined : kind
}
