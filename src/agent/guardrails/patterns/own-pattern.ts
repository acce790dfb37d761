import { type Pattern, startOfTail } from './pattern.ts'
import { unfinishedPattern } from './unfinished-pattern.ts'

/** A pattern of a regular expression. */
export function ownPattern(expression: RegExp): Pattern {
  const flags = expression.flags.replaceAll(/[gy]/g, '')
  const all = new RegExp(expression.source, `${flags}g`)
  const tail = new RegExp(unfinishedPattern(expression), `${flags}g`)
  return {
    redact: (text) => text.replaceAll(all, (match) => (match === '' ? '' : '[redacted]')),
    unfinished: (text, from) => startOfTail(tail, text, from),
  }
}
