import { randomFillSync } from 'node:crypto'

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** What an id may look like, wherever a user or a caller chooses one. */
export const ID_RULE =
  'letters, digits, ".", "_", ":" and "-", starting with a letter or digit, at most 128 characters'

/** Whether `value` may be the id of an agent, workflow, step or execution. */
export function isId(value: string): boolean {
  return ID.test(value)
}

/** Makes ids for executions and requests. Tests replace it with a counter. */
export type NewId = () => string

/** Random bytes as hexadecimal digits, drawn from the system a few thousand at a time. */
export function randomHexGenerator(): (bytes: number) => string {
  const pool = Buffer.alloc(4096)
  let used = pool.length
  return (bytes) => {
    if (used + bytes > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += bytes
    return pool.toString('hex', used - bytes, used)
  }
}

/**
 * A generator of UUID version 7 (RFC 9562): 48 bits of milliseconds, then a counter that keeps ids made in
 * one millisecond in order, then random bits.
 */
export function uuidV7Generator(now: () => number = Date.now): NewId {
  const randomHex = randomHexGenerator()
  let last = 0
  let counter = 0
  return () => {
    const random = randomHex(8)
    const time = Math.max(now(), last)
    counter = time === last ? counter + 1 : Number.parseInt(random.slice(0, 3), 16) & 0x3ff
    // the counter holds 12 bits; once it is full the clock is pushed forward by a millisecond
    last = counter > 0xfff ? time + 1 : time
    if (counter > 0xfff) counter = 0
    const stamp = last.toString(16).padStart(12, '0')
    const variant = ((Number.parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
    return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(4, 7)}-${random.slice(7)}${random.slice(0, 3)}`
  }
}
