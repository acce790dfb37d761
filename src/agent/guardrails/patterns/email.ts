import { startOfTail } from './pattern.ts'
import type { Pattern } from './pattern.ts'

const EMAIL_ADDRESS = /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu
const TAIL = /[\p{L}\p{N}._%+'@-]{1,320}(?![^])/gu
/** Without an @ it may be any word. */
const BEGINNING = /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}.-]{0,250}(?![^])/u

/** Email addresses. */
export const EMAIL: Pattern = {
  redact: (text) => text.replaceAll(EMAIL_ADDRESS, '[email]'),
  unfinished: (text, from) => startOfTail(TAIL, text, from),
  redactEnd: (text) => text.replace(BEGINNING, '[email]'),
}
