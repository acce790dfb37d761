import { randomFillSync } from 'node:crypto'

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** The rule for ids that users and callers choose, for error messages. */
export const ID_RULE =
  'letters, digits, ".", "_", ":" and "-", starting with a letter or digit, at most 128 characters'

/** Whether `value` is a valid id of an agent, workflow, step or execution. */
export function isId(value: string): boolean {
  return ID.test(value)
}

const RESERVED = /^(?:schedule|code):/

/** The rule for ids of executions that callers can't choose, for error messages. */
export const RESERVED_ID_RULE =
  'ids that begin with "schedule:" or "code:" are reserved for schedules and code'

/** Whether only schedules and code may give an execution this id, so that no caller can take it. */
export function isReservedId(id: string): boolean {
  return RESERVED.test(id)
}

/** Generates ids of executions and requests. Tests replace it with a counter. */
export type NewId = () => string

/** Returns a function that generates random bytes in hexadecimal. Reads 4 KiB at a time: a system call per id is slower. */
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
 * Returns a generator of UUIDs version 7 (RFC 9562): a 48-bit timestamp in milliseconds, a 12-bit counter that orders
 * ids of the same millisecond (section 6.2, method 1), and random bits.
 */
export function uuidV7Generator(now: () => number = Date.now): NewId {
  const randomHex = randomHexGenerator()
  let last = 0
  let counter = 0
  return () => {
    const random = randomHex(8)
    const time = Math.max(now(), last)
    counter = time === last ? counter + 1 : Number.parseInt(random.slice(0, 3), 16) & 0x3ff
    // when the 12-bit counter overflows, the timestamp is incremented instead
    last = counter > 0xfff ? time + 1 : time
    if (counter > 0xfff) counter = 0
    const stamp = last.toString(16).padStart(12, '0')
    const variant = ((Number.parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
    return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(4, 7)}-${random.slice(7)}${random.slice(0, 3)}`
  }
}
