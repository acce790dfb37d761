import { messageOf } from '../errors.ts'

/** The offset of the first JSON syntax error in a text, in UTF-16 code units. `error` is the error of `JSON.parse`. */
export function jsonErrorOffset(source: string, error: unknown): number {
  return offsetOf(messageOf(error)) ?? firstBadOffset(source)
}

function offsetOf(message: string): number | undefined {
  const offset = /\bposition (\d+)/.exec(message)?.[1]
  return offset === undefined ? undefined : Number(offset)
}

/**
 * Not every message of V8 contains a position. The error is at the end of the shortest prefix that no further text
 * could complete, which a binary search finds.
 */
function firstBadOffset(source: string): number {
  let valid = 0
  let invalid = source.length + 1
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1
    if (canBeCompleted(source.slice(0, middle))) valid = middle
    else invalid = middle
  }
  return valid
}

function canBeCompleted(start: string): boolean {
  try {
    JSON.parse(start)
    return true
  } catch (error) {
    const message = messageOf(error)
    return /end of JSON|Unterminated/.test(message) || (offsetOf(message) ?? -1) >= start.length
  }
}
