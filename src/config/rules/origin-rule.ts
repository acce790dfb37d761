import { z } from 'zod'

/** Scheme, host and port, in the form of the Origin header. */
export const Origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'Must be an origin such as "https://app.example"',
  )
