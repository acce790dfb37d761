import { afterEach, expect, it, vi } from 'vitest'
import { verifyUser } from '../../../src/auth/verify-user.ts'

afterEach(() => vi.useRealTimers())

const request = new Request('http://localhost/')
const verify = (verifyToken: () => unknown) =>
  verifyUser({ type: 'custom', verifyToken: verifyToken as () => null }, 'token', request)

it('returns the user that the provider returns', async () => {
  expect(await verify(() => ({ id: 'ada' }))).toEqual({ id: 'ada' })
  expect(await verify(async () => ({ id: 'ada' }))).toEqual({ id: 'ada' })
})

it.each([null, undefined, false, true, 'ada', 42, [{ id: 'ada' }]])('refuses %j', async (value) => {
  expect(await verify(() => value)).toBeUndefined()
})

it('refuses when the provider throws or rejects', async () => {
  expect(
    await verify(() => {
      throw new Error('no')
    }),
  ).toBeUndefined()
  expect(await verify(() => Promise.reject(new Error('no')))).toBeUndefined()
})

it('refuses when the provider takes over ten seconds', async () => {
  vi.useFakeTimers()
  const user = verify(() => new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await user).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})
