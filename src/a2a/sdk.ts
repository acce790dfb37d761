import type * as Core from '@a2a-js/sdk'
import type * as Compat from '@a2a-js/sdk/compat/v0_3'
import type * as Legacy from '@a2a-js/sdk/compat/v0_3/server'
import type * as Errors from '@a2a-js/sdk/errors'
import type * as Server from '@a2a-js/sdk/server'

/** The modules of the A2A SDK: types, JSON-RPC server, and the compatibility layer for version 0.3. */
export interface Sdk {
  readonly core: typeof Core
  readonly server: typeof Server
  readonly errors: typeof Errors
  readonly compat: typeof Compat
  readonly legacy: typeof Legacy
}

/** Loads the SDK. Called with the first request, so that servers without A2A clients do not spend the memory. */
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
