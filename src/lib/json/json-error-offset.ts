import { messageOf } from '../errors.ts'

/** Where a text stops being JSON, as a UTF-16 offset; `error` is what `JSON.parse` threw. */
export function jsonErrorOffset(source: string, error: unknown): number {
  return offsetOf(messageOf(error)) ?? firstBadOffset(source)
}

function offsetOf(message: string): number | undefined {
  const offset = /\bposition (\d+)/.exec(message)?.[1]
  return offset === undefined ? undefined : Number(offset)
}

/** The engine does not always tell where: the first mistake ends the shortest text that more can't mend. */
function firstBadOffset(source: string): number {
  let mendable = 0
  let broken = source.length + 1
  while (broken - mendable > 1) {
    const middle = (mendable + broken) >> 1
    if (isMendable(source.slice(0, middle))) mendable = middle
    else broken = middle
  }
  return mendable
}

function isMendable(start: string): boolean {
  try {
    JSON.parse(start)
    return true
  } catch (error) {
    const message = messageOf(error)
    return /end of JSON|Unterminated/.test(message) || (offsetOf(message) ?? -1) >= start.length
  }
}
