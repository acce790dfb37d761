import type { IdGenerator } from '@opentelemetry/sdk-trace-base'
import { randomHexGenerator } from '../../../lib/ids.ts'

const SPANS_PER_MS = 0xffff

/**
 * A generator of ids that begin with 48 bits of milliseconds since the epoch, so that ids order by time in the store.
 * In span ids a 16-bit counter follows, with a random start in each millisecond; in trace ids 80 random bits.
 */
export function spanIds(now: () => number = Date.now): IdGenerator {
  const randomHex = randomHexGenerator()
  let stamp = ''
  let last = 0
  let counter = Number.parseInt(randomHex(2), 16)
  let left = SPANS_PER_MS
  const time = () => {
    const at = Math.max(now(), last)
    if (at === last && left > 0) return stamp
    last = at === last ? at + 1 : at
    left = SPANS_PER_MS
    stamp = last.toString(16).padStart(12, '0')
    // random, so that two processes differ in the same millisecond
    counter = Number.parseInt(randomHex(2), 16) & 0x7fff
    return stamp
  }
  return {
    generateTraceId: () => time() + randomHex(10),
    generateSpanId: () => {
      const begin = time()
      left--
      counter = (counter + 1) & 0xffff
      return begin + (counter + 0x10000).toString(16).slice(1)
    },
  }
}
