import { isSecret, isSecretName } from './secret-name.ts'

const MEMBER_START = /"([\w .-]{1,64})"\s*:\s*(?=[[{])/g
/** Limits the search for the closing bracket. If it is not found, everything to the end of the text is redacted. */
const MAX_LENGTH = 65_536

/** Replaces arrays and objects under sensitive names in JSON that is part of a text. */
export function redactNestedJson(text: string, replacement: string): string {
  let safe = ''
  let from = 0
  for (const { 0: start, 1: name = '', index } of text.matchAll(MEMBER_START)) {
    const begin = index + start.length
    // names first: most are not sensitive, and finding the end of each value is expensive
    if (index < from || !isSecretName(name)) continue
    const end = endOf(text, begin)
    if (!isSecret(name, valueOf(text.slice(begin, end)))) continue
    safe += text.slice(from, begin) + replacement
    from = end
  }
  return from === 0 ? text : safe + text.slice(from)
}

/** The index after the bracket that closes the one at `begin`, or the length of a truncated text. */
function endOf(text: string, begin: number): number {
  let depth = 0
  const last = Math.min(text.length, begin + MAX_LENGTH)
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

/** The parsed value, to recognize token counts. An invalid value is not a count. */
function valueOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return {}
  }
}
