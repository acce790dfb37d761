import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { Endpoint } from '../contract/endpoint.ts'
import type { User } from '../contract/auth.ts'
import { isLocal } from './origin-rules.ts'
import type { Services } from './services.ts'

/**
 * Takes a request through the gate; what lies behind it is `endpoint`, or a custom or unknown route.
 *
 * @throws AppError `unauthorized`
 */
export async function admit(
  c: Context,
  endpoint: Endpoint | undefined,
  services: Services,
): Promise<User | undefined> {
  const { gate } = services.served()
  if (gate.policy.mode === 'none') return undefined
  const { raw: request, method, path } = c.req
  const admission = await gate.admit({
    request,
    target: { method, path },
    endpoint,
    repeatedHeaders: repeatedHeaders(c),
    local: isLocal(request, services.trustedOrigins()),
  })
  return admission.user
}

/** Names of headers that came more than once: parsers keep one of them, and not all the same. */
function repeatedHeaders(c: Context): string[] {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  const raw = incoming?.rawHeaders ?? []
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return names.filter((name, index) => names.indexOf(name) !== index)
}
