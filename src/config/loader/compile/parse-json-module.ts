import { messageOf } from '../../../lib/errors.ts'
import { jsonErrorOffset } from '../../../lib/json/json-error-offset.ts'
import { positionAt } from '../errors/code-frame.ts'
import { loadErrorAt } from '../errors/load-error.ts'

/** Parses a JSON file of the project. A syntax error is a LoadError with its position. */
export function parseJsonModule(source: string, { root, file }: { root: string; file: string }): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    const message = messageOf(error)
    const position = positionAt(source, jsonErrorOffset(source, error))
    throw loadErrorAt({ root, file, source, position }, { name: 'SyntaxError', message, cause: error })
  }
}
