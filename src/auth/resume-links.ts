import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../lib/errors.ts'
import type { Decider } from '../contract/access/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { ResourcePolicy } from './resource-policy.ts'
import type { LinkedSuspension } from '../engine/run/run-context.ts'

/** Signs and verifies the tokens of links that resume executions without an account. */
export class ResumeLinks {
  readonly #secret: () => string | undefined

  /** @param secret `undefined` where there are no links */
  constructor(secret: () => string | undefined) {
    this.#secret = secret
  }

  /** `undefined` without a secret. */
  tokenOf({ executionId, path, resumes, expiresAt }: LinkedSuspension): string | undefined {
    const secret = this.#secret()
    if (secret === undefined) return undefined
    const payload = Buffer.from(JSON.stringify([executionId, path, resumes, expiresAt])).toString('base64url')
    return `${payload}.${signatureOf(payload, secret).toString('base64url')}`
  }

  /** The suspension of a token; `undefined` for one that was not made with the secret, or has expired. */
  verify(token: string, now: number): LinkedSuspension | undefined {
    const secret = this.#secret()
    const [payload = '', signature = ''] = token.split('.')
    if (secret === undefined) return undefined
    const given = Buffer.from(signature, 'base64url')
    const expected = signatureOf(payload, secret)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    const [executionId, path, resumes, expiresAt] = JSON.parse(
      Buffer.from(payload, 'base64url').toString(),
    ) as [string, string, number, number]
    return expiresAt > now ? { executionId, path, resumes, expiresAt } : undefined
  }
}

function signatureOf(payload: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`resume ${payload}`).digest()
}

/**
 * Whoever has a signed link: may resume the suspension that it names, unless a workflow declares who of the users
 * resumes its executions. Nothing else.
 */
export function linkDecider({ executions }: Pick<Engine, 'executions'>, rules: ResourcePolicy): Decider {
  return {
    by: 'anyone',
    user: undefined,
    over: 'link',
    check: async (subject) => {
      if (subject.kind !== 'execution')
        throw new AppError('forbidden', 'A link resumes only steps that wait for a person')
      const { kind: _kind, ...ref } = subject
      const { executionId: id } = ref
      const { owner, resumers } = await executions.ownership(ref)
      const isDeclared = (await resumers()).some((one) => one !== 'users')
      if (isDeclared || !(await rules.allowsLink({ kind: 'execution', id, owner })))
        throw new AppError('not_found', `Execution not found: ${subject.executionId}`)
    },
  }
}
