import { messageOf } from '../../lib/errors.ts'
import { positionAt } from './code-frame.ts'
import { loadErrorAt } from './load-error.ts'

/** Parses a JSON file of the project; a mistake in it is a LoadError at its place. */
export function parseJson(source: string, { root, file }: { root: string; file: string }): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    const message = messageOf(error)
    const position = positionAt(source, offsetOf(message) ?? firstBadOffset(source))
    throw loadErrorAt({ root, file, source, position }, { name: 'SyntaxError', message, cause: error })
  }
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
