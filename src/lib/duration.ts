const UNITS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
} as const

type Unit = keyof typeof UNITS

/** A duration: milliseconds, or a number with a unit, such as `500ms`, `10s`, `5m`, `2h`, `7d` or `1w`. */
export type Duration = number | `${number}${Unit}`

/** How durations are written, for error messages. */
export const DURATION_RULE = 'milliseconds, or a text such as "500ms", "10s", "5m", "2h", "7d" or "1w"'

/** 100 years: later times are no times of a computer. */
const MAX_MS = 36_525 * UNITS.d

/**
 * A duration in milliseconds; `undefined` for anything else, also for negative ones.
 *
 * @example
 * parseDuration('5m') // 300000
 */
export function parseDuration(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? parseText(value) : Number.NaN
  return ms >= 0 && ms <= MAX_MS ? Math.round(ms) : undefined
}

function parseText(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? []
  return Number(count) * UNITS[unit as Unit]
}
