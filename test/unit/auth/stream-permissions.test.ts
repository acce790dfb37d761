import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { accessPolicy } from '../../../src/auth/access-policy.ts'
import { Gate } from '../../../src/auth/gate.ts'
import { StreamPermissions } from '../../../src/auth/stream-permissions.ts'
import type { Permission } from '../../../src/auth/stream-permissions.ts'

const DAY_MS = 86_400_000

const gate = new Gate({ policy: accessPolicy({}, false), consoleKey: undefined, production: false })
const newer = new Gate({ policy: accessPolicy({}, false), consoleKey: undefined, production: false })

const permission = (more: Partial<Permission> = {}): Permission => ({
  gate,
  user: { id: 'ada' },
  expiresAt: undefined,
  ...more,
})

/** Holds a permission. `renewed` is the result of a later check, or why it refuses. */
function hold(held: Permission, renewed: Permission | Error = held, inForce: Gate = gate) {
  const permissions = new StreamPermissions(() => inForce)
  const end = vi.fn<() => void>()
  const check = async () => {
    if (renewed instanceof Error) throw renewed
    return renewed
  }
  return { permissions, end, release: permissions.hold({ permission: held, check, end }) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a connection ends when its token does, also in 60 days, and not before', async () => {
  const { end } = hold(permission({ expiresAt: Date.now() + 60 * DAY_MS }))
  await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1000)
  expect(end).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1000)
  expect(end).toHaveBeenCalledOnce()
})

it('a connection that has closed is not ended later', async () => {
  const { end, release } = hold(permission({ expiresAt: Date.now() + 1000 }))
  release()
  await vi.advanceTimersByTimeAsync(2000)
  expect(end).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

it('a connection ends when new rules refuse it', async () => {
  const { permissions, end } = hold(permission(), new Error('refused'))
  await permissions.renew()
  expect(end).toHaveBeenCalledOnce()
})

it('a connection stays open when new rules admit it, until the expiry that they find', async () => {
  const { permissions, end } = hold(permission({ expiresAt: Date.now() + 1000 }), {
    ...permission(),
    expiresAt: Date.now() + 5000,
  })
  await permissions.renew()
  await vi.advanceTimersByTimeAsync(4000)
  expect(end).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1000)
  expect(end).toHaveBeenCalledOnce()
})

it('a connection ends when its token is now that of another user', async () => {
  const { permissions, end } = hold(permission(), permission({ user: { id: 'ada', role: 'guest' } }))
  await permissions.renew()
  expect(end).toHaveBeenCalledOnce()
})

it('a connection that was admitted by rules which have been replaced meanwhile is checked again', async () => {
  const { end } = hold(permission(), new Error('refused'), newer)
  await vi.advanceTimersByTimeAsync(0)
  expect(end).toHaveBeenCalledOnce()
})
