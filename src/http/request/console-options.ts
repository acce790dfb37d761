import type { Context } from 'hono'
import type { Endpoint } from '../../contract/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import type { Services } from '../services.ts'
import { gateRequest } from './access.ts'
import type { RequestEnv } from './request-env.ts'

/**
 * Refuses options of a request that need console access which the caller does not have. Without authentication
 * everybody has it.
 *
 * @throws AppError `forbidden` naming the option.
 */
export function checkConsoleOptions(
  c: Context<RequestEnv>,
  endpoint: Endpoint,
  { body, services }: { readonly body: unknown; readonly services: Services },
): void {
  const { consoleOptions = [], consoleMembers = [] } = endpoint
  if (consoleOptions.length + consoleMembers.length === 0) return
  if (typeof body !== 'object' || body === null) return
  const members = body as Readonly<Record<string, unknown>>
  const options = (members['options'] ?? {}) as Readonly<Record<string, unknown>>
  const option = consoleOptions.find((name) => options[name] !== undefined)
  const used =
    option === undefined ? consoleMembers.find((name) => members[name] !== undefined) : `options.${option}`
  const admitted = used === undefined ? undefined : c.get('admitted')
  if (!admitted || admitted.gate.policy.mode === 'none') return
  if (admitted.gate.hasConsoleAccess(gateRequest(c, endpoint, services), admitted.admission)) return
  throw new AppError(
    'forbidden',
    `${used}: requires console access: send the console access key as well (x-console-access-key)`,
  )
}
