import { z } from 'zod'
import { MAX_TIMER_MS } from '../../lib/clock.ts'
import { DURATION_RULE, parseDuration } from '../../lib/duration.ts'

/** Scheme, host and port, in the form of the Origin header. */
export const Origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'Must be an origin such as "https://app.example"',
  )

/** A timer's delay in milliseconds. */
export const Wait = z.int().positive().max(MAX_TIMER_MS)

/** A duration, such as `1h`. */
export const DurationOption = z
  .union([z.string(), z.number()])
  .refine((value) => parseDuration(value) !== undefined, `Must be ${DURATION_RULE}`)

/** How many ended records are kept, and for how many days. */
export function kept(days: number, count: number) {
  return z
    .strictObject({ days: z.number().positive().default(days), count: z.int().positive().default(count) })
    .prefault({})
}
