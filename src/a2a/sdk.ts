import type * as Core from '@a2a-js/sdk'
import type * as Compat from '@a2a-js/sdk/compat/v0_3'
import type * as Legacy from '@a2a-js/sdk/compat/v0_3/server'
import type * as Errors from '@a2a-js/sdk/errors'
import type * as Server from '@a2a-js/sdk/server'

/** The A2A SDK: the protocol's words, its JSON-RPC, and version 0.3 of both. */
export interface Sdk {
  readonly core: typeof Core
  readonly server: typeof Server
  readonly errors: typeof Errors
  readonly compat: typeof Compat
  readonly legacy: typeof Legacy
}

/** Loads with the first request: it takes memory that a server without A2A clients need not have. */
export async function loadSdk(): Promise<Sdk> {
  const [core, server, errors, compat, legacy] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/errors'),
    import('@a2a-js/sdk/compat/v0_3'),
    import('@a2a-js/sdk/compat/v0_3/server'),
  ])
  return { core, server, errors, compat, legacy }
}
