import { DURATION_RULE, parseDuration } from '../../lib/duration.ts'
import type { Duration } from '../../lib/duration.ts'
import { scorer } from './scorer.ts'
import type { Scorer } from './scorer.ts'

/**
 * Scores 1 if at most this number of steps (of an agent: model calls) were run, otherwise 0.
 *
 * @throws RangeError when `steps` is not a whole number of 1 or more.
 *
 * @example
 * maxSteps(4)
 */
export function maxSteps(steps: number): Scorer {
  if (!Number.isInteger(steps) || steps < 1)
    throw new RangeError('maxSteps() requires a whole number of 1 or more')
  return scorer('maxSteps', ({ trace }) =>
    trace.steps <= steps ? 1 : { score: 0, reason: `${trace.steps} steps, at most ${steps}` },
  )
}

/**
 * Scores 1 if the model calls cost at most this amount in US dollars, otherwise 0; also when the price of a model is
 * unknown.
 *
 * @throws RangeError when `usd` is not a number of 0 or more.
 *
 * @example
 * maxCost(0.02)
 */
export function maxCost(usd: number): Scorer {
  if (!(usd >= 0 && usd < Infinity)) throw new RangeError('maxCost() requires a number of 0 or more')
  return scorer('maxCost', ({ trace: { costUsd } }) => {
    if (costUsd === null) return { score: 0, reason: 'the price of a model is unknown: add it to `prices`' }
    return costUsd <= usd ? 1 : { score: 0, reason: `$${costUsd.toPrecision(3)}, at most $${usd}` }
  })
}

/**
 * Scores 1 if the output was there within this time, otherwise 0.
 *
 * @param limit a duration such as `'2s'`, or milliseconds.
 * @throws TypeError when `limit` is not a duration.
 *
 * @example
 * maxLatency('3s')
 */
export function maxLatency(limit: Duration): Scorer {
  const ms = parseDuration(limit)
  if (ms === undefined)
    throw new TypeError(`maxLatency(): "${limit}" is not a duration; use ${DURATION_RULE}`)
  return scorer('maxLatency', ({ trace }) =>
    trace.durationMs <= ms ? 1 : { score: 0, reason: `${Math.round(trace.durationMs)} ms, at most ${ms} ms` },
  )
}
