import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { User } from '../../contract/auth.ts'
import { repeatedHeaders } from '../../auth/credentials.ts'
import { isLocal } from '../../auth/origin-rules.ts'
import type { Services } from '../services.ts'

/**
 * Takes a request through the gate; what lies behind it is `endpoint`, or a custom or unknown route. `undefined`
 * where there is no gate.
 *
 * @throws AppError `unauthorized`; the promise rejects with it.
 */
export function admit(
  c: Context,
  endpoint: Endpoint | undefined,
  services: Services,
): Promise<User | undefined> | undefined {
  const { gate } = services.served()
  if (gate.policy.mode === 'none' || services.isOperator(c.req.raw)) return undefined
  const { raw: request, method, path } = c.req
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  const admission = gate.admit({
    request,
    target: { method, path },
    endpoint,
    repeatedHeaders: repeatedHeaders(incoming?.rawHeaders ?? []),
    local: isLocal(request, services.trustedOrigins()),
  })
  return admission.then(({ user }) => user)
}
