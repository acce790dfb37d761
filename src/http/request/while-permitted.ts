import type { Context } from 'hono'
import type { Expiry } from '../../auth/gate.ts'
import type { Permission } from '../../auth/stream-permissions.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Services } from '../services.ts'
import { checkAccessByOrigin, checkForeignPage, gateRequest } from './access.ts'
import type { Admitted, RequestEnv } from './request-env.ts'
import { onBodyEnd } from './request-lifetime.ts'

/**
 * Ends an event stream when the permission of its request ends.
 *
 * @throws what the provider's `expiresAt` throws; the stream is cancelled then
 */
export function whilePermitted(
  c: Context<RequestEnv>,
  body: ReadableStream<Uint8Array>,
  services: Services,
): ReadableStream<Uint8Array> {
  const admitted = c.get('admitted')
  // a request of the operator
  if (!admitted) return body
  const { gate, endpoint, admission } = admitted
  const { user } = admission
  const check = () => checkAgain(c, endpoint, services)
  const permission = { gate, user, expiresAt: expiryOf(admitted, body) }
  let release = () => {}
  return onBodyEnd(
    body,
    () => release(),
    (end) => void (release = services.permissions.hold({ permission, check, end })),
  )
}

/** Found before the response has begun, so that an error of the provider results in a 500. */
function expiryOf(admitted: Admitted, body: ReadableStream<Uint8Array>): Expiry {
  try {
    return admitted.expiresAt()
  } catch (error) {
    // the stream may fail to stop; the error is that of the provider
    body.cancel(error).catch(() => undefined)
    throw error
  }
}

/** Checks a request by the rules in force. */
async function checkAgain(
  c: Context<RequestEnv>,
  endpoint: Endpoint | undefined,
  services: Services,
): Promise<Permission> {
  checkAccessByOrigin(c.req.raw, services)
  const { gate } = services.current()
  const incoming = gateRequest(c, endpoint, services)
  const admission = await gate.admit(incoming)
  checkForeignPage(c.req.raw, { endpoint, admission }, services)
  await c.get('checkAccess')?.(admission)
  return { gate, user: admission.user, expiresAt: gate.expiresAt(incoming, admission) }
}
