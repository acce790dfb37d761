import { positionAt } from './loader/errors/code-frame.ts'
import type { Position } from './loader/errors/code-frame.ts'

/** Matches comments, and strings so that their contents are not taken for comments. */
const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/**
 * The position of an option in the text of a config file. If a nested option is not found, its closest enclosing
 * option is used. Undefined if none is found.
 */
export function locateOption(source: string, path: readonly PropertyKey[]): Position | undefined {
  const code = source.replaceAll(COMMENT_OR_STRING, (text) =>
    text.startsWith('/') ? text.replaceAll(/[^\n]/g, ' ') : text,
  )
  let from = Math.max(0, code.search(/defineConfig\s*\(|export\s+default/))
  let found: number | undefined
  for (const key of path) {
    if (typeof key !== 'string') continue
    const offset = keyOffset(code, key, from)
    if (offset === undefined) break
    found = offset
    from = offset + key.length
  }
  return found === undefined ? undefined : positionAt(source, found)
}

/** The offset of `key` as a property, a method or a shorthand of an object. */
function keyOffset(code: string, key: string, from: number): number | undefined {
  const name = key.replaceAll(/[^\w]/g, String.raw`\$&`)
  const property = new RegExp(String.raw`(?<=[{,\s]['"]?)(?<![.\w$])${name}(?=['"]?\s*[:,(}])`, 'g')
  property.lastIndex = from
  return property.exec(code)?.index
}
