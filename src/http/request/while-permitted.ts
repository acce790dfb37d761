import type { Context } from 'hono'
import type { Permission } from '../../auth/held-permissions.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Services } from '../services.ts'
import { checkAccessByOrigin, checkForeignPage, gateRequest } from './access.ts'
import type { RequestEnv } from './request-env.ts'
import { onBodyEnd } from './request-lifetime.ts'

/** Ends an event stream, or a body of user code, when the permission of its request ends. */
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
  let release = () => {}
  return onBodyEnd(
    body,
    () => release(),
    (end) => {
      const permission = { gate, user, expiresAt: admitted.expiresAt() }
      release = services.permissions.hold({ permission, check, end })
    },
  )
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
