import { isSecret, mayContainSecretName, isSecretName } from './secret-name.ts'

/** The text that replaces a secret. */
export const REDACTED = '[redacted]'

/** Shorter known values are redacted only as a separate word, not within one. */
const MIN_LENGTH_WITHIN_WORD = 8
/** Shorter known values are ignored, since they occur in text by chance. */
const MIN_LENGTH = 4

// each pattern matches a maximal run of characters without backtracking; further conditions are tested on the match
const JWT = /(?<![A-Za-z0-9])eyJ[\w.-]{8,}/g
const PREFIXED_KEY = /(?<![A-Za-z0-9])(?:sk|rk|gsk|xai)[-_][\w*.-]{6,}/g
const PROVIDER_KEY =
  /(?<![A-Za-z0-9])(?:AIza[\w*.-]{6,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{20,}|hf_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[A-Z\d]{16})/g
const BEARER = /\b(bearer)(\s+)([\w.~+/=*-]{3,})/gi
const OTHER_SCHEME =
  /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:basic|digest|token|apikey)\s+)[^\s"',]+/gi
const URL_PASSWORD = /\b([a-z][a-z\d+.-]{1,20}:\/\/[^\s/:@]{0,256}:)[^\s/@]+(?=@)/gi
const QUERY_PARAMETER = /([?&])([\w.-]{1,64})=([^&\s#"'<>]+)/g
const ASSIGNMENT = /(?<![\w.?&-])([A-Za-z_][\w.-]{0,63})=("[^"]*"|'[^']*'|[^\s"'&;,=<>()[\]{}][^\s"'&;,<>]*)/g
const JSON_MEMBER = /"([\w .-]{1,64})"(\s*:\s*)("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/g
const ESCAPED_MEMBER = /\\"([\w .-]{1,64})\\"(\s*:\s*)(\\"[^"\\]*\\"|-?\d[\d.eE+-]*)/g

/** Matches if any of the patterns of {@link redactForms} may match. Most text doesn't, and skips them. */
const HINT =
  /eyJ|bearer|sk[-_]|rk[-_]|xai[-_]|AIza|gh[opsu]_|github_pat_|glpat-|npm_|hf_|xox|AKIA|authorization|:\/\//i

/** Words after "bearer" in prose and in `WWW-Authenticate` challenges. */
const AFTER_BEARER =
  /^(?:a|and|as|auth|authentication|authorization|challenge|credentials?|error|for|format|from|has|header|in|is|must|not|of|only|or|prefix|realm|required|scheme|scope|that|the|to|tokens?|was|with)$/i

/** Returns a function that redacts known values and everything in the form of a credential. */
export function textRedactor(known: readonly string[]): (text: string) => string {
  const values = knownPattern(known)
  return (text) => {
    if (text.length < MIN_LENGTH) return text
    const withoutKnown = values === undefined ? text : text.replaceAll(values, REDACTED)
    const withoutForms = HINT.test(withoutKnown) ? redactForms(withoutKnown) : withoutKnown
    return mayContainSecretName(withoutForms) ? redactMembers(withoutForms) : withoutForms
  }
}

function knownPattern(known: readonly string[]): RegExp | undefined {
  const values = [...new Set(known.map((value) => value.trim()))].filter(({ length }) => length >= MIN_LENGTH)
  if (values.length === 0) return undefined
  const longestFirst = values.toSorted((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((value) => patternOf(value)).join('|'), 'g')
}

function patternOf(value: string): string {
  const literal = value.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
  return value.length >= MIN_LENGTH_WITHIN_WORD ? literal : `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`
}

function redactForms(text: string): string {
  const rest = text
    .replaceAll(JWT, (found) => (found.includes('.') ? keepFullStop(found) : found))
    .replaceAll(BEARER, redactBearer)
    .replaceAll(PREFIXED_KEY, (found) => (/[\d*]|-[\w-]{8}|\w{20}/.test(found) ? keepFullStop(found) : found))
    .replaceAll(PROVIDER_KEY, REDACTED)
  return rest.includes(':')
    ? rest.replaceAll(OTHER_SCHEME, `$1${REDACTED}`).replaceAll(URL_PASSWORD, `$1${REDACTED}`)
    : rest
}

/** A full stop after a credential belongs to the sentence. */
function keepFullStop(found: string): string {
  return found.endsWith('.') ? `${REDACTED}.` : REDACTED
}

function redactBearer(match: string, scheme: string, space: string, token: string): string {
  const word = token.replace(/[.=].*$/, '')
  return AFTER_BEARER.test(word) ? match : `${scheme}${space}${REDACTED}`
}

/** Redacts values under sensitive names in URLs, assignments and JSON. Keeps prose such as "password: required". */
function redactMembers(text: string): string {
  const rest = text.includes('=')
    ? text.replaceAll(QUERY_PARAMETER, redactParameter).replaceAll(ASSIGNMENT, redactAssignment)
    : text
  if (!rest.includes('"')) return rest
  const plain = redactNestedJson(rest, `"${REDACTED}"`).replaceAll(
    JSON_MEMBER,
    (match, name: string, colon: string, value: string) =>
      isSecret(name, jsonValue(value)) ? `"${name}"${colon}"${REDACTED}"` : match,
  )
  return plain.replaceAll(ESCAPED_MEMBER, (match, name: string, colon: string, value: string) =>
    isSecret(name, jsonValue(value.replaceAll('\\', '')))
      ? String.raw`\"${name}\"${colon}\"${REDACTED}\"`
      : match,
  )
}

function redactParameter(match: string, mark: string, name: string, value: string): string {
  return isSecret(name, value) ? `${mark}${name}=${REDACTED}` : match
}

/** An assignment in a shell command or connection string, such as `PASSWORD=abc`. */
function redactAssignment(match: string, name: string, value: string): string {
  const plain = value.replaceAll(/^["']|["']$/g, '')
  const isValue = plain !== '' && !/^(?:true|false|null|undefined)$/.test(plain)
  return isValue && isSecret(name, plain) ? `${name}=${REDACTED}` : match
}

function jsonValue(literal: string): string | number {
  return literal.startsWith('"') ? literal.slice(1, -1) : Number(literal)
}

const MEMBER_START = /"([\w .-]{1,64})"\s*:\s*(?=[[{])/g

/** Limits the search for the closing bracket. If it is not found, everything to the end of the text is redacted. */
const MAX_LENGTH = 65_536

/** Replaces arrays and objects under sensitive names in JSON that is part of a text. */
function redactNestedJson(text: string, replacement: string): string {
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
