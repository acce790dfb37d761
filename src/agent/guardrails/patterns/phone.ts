import { startOfTail } from './pattern.ts'
import type { Pattern } from './pattern.ts'

const SEPARATOR = String.raw`[ \t\u00a0.\-–/]`
const NUMBERS = [
  // +49 30 1234567, +1 (555) 123-4567
  String.raw`\+\d(?:[ \t\u00a0.\-–/()]{0,3}\d){6,14}`,
  // (555) 123-4567, 555-123-4567, 1-800-555-1234
  String.raw`(?:1${SEPARATOR})?(?:\(\d{3}\)${SEPARATOR}?|\d{3}${SEPARATOR})\d{3}${SEPARATOR}\d{4}`,
  // (030) 123456
  String.raw`\(0\d{1,5}\)${SEPARATOR}?\d(?:${SEPARATOR}?\d){4,9}`,
  // 01 23 45 67 89
  String.raw`0\d(?:${SEPARATOR}\d{2}){4}`,
  // 030 1234567, 0171-123 4567, 0049 30 1234567
  String.raw`0\d{2,5}${SEPARATOR}{1,3}\d{2,}(?:${SEPARATOR}\d{2,}){0,4}`,
  // 01711234567
  String.raw`0\d{9,11}`,
]
const PHONE_NUMBER = new RegExp(String.raw`(?<![\p{L}\d])(?:${NUMBERS.join('|')})(?!\d)`, 'gu')
const TAIL = /[+(\d][\d \t\u00a0.\-–/()]{0,40}(?![^])/gu
/** A code of a country or an area, and more. */
const BEGINNING = /(?<![\p{L}\d])(?:\+|\(|00?)[\d \t\u00a0.\-–/()]{4,40}(?![^])/u
const MIN_DIGITS = 8

/** Telephone numbers: international, with an area code in parentheses or a leading zero, and in groups of 3-3-4. */
export const PHONE: Pattern = {
  redact: (text) =>
    text.replaceAll(PHONE_NUMBER, (number) =>
      number.replaceAll(/\D/g, '').length < MIN_DIGITS ? number : '[phone]',
    ),
  unfinished: (text, from) => startOfTail(TAIL, text, from),
  redactEnd: (text) => text.replace(BEGINNING, '[phone]'),
}
