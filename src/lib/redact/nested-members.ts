import { isSecret, isSecretName } from './secret-name.ts'

const BEGINNING = /"([\w .-]{1,64})"\s*:\s*(?=[[{])/g
/** What nests deeper, or goes on longer, counts to the end of the text. */
const LONGEST = 65_536

/** Puts `instead` in the place of lists and objects under sensitive names in JSON within a text. */
export function withoutNested(text: string, instead: string): string {
  let safe = ''
  let from = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(BEGINNING)) {
    const begin = index + whole.length
    // most names are none: to look for the end of each would take too long
    if (index < from || !isSecretName(name)) continue
    const end = endOf(text, begin)
    if (!isSecret(name, valueOf(text.slice(begin, end)))) continue
    safe += text.slice(from, begin) + instead
    from = end
  }
  return from === 0 ? text : safe + text.slice(from)
}

/** Behind the bracket that closes the one at `begin`; the end of a text that was cut. */
function endOf(text: string, begin: number): number {
  let depth = 0
  const last = Math.min(text.length, begin + LONGEST)
  for (let at = begin; at < last; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return text.length
}

function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

/** A value that can't be read is none that merely counts. */
function valueOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return {}
  }
}
