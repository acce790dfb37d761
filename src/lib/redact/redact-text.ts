import { withoutNested } from './nested-members.ts'
import { hintsAtSecret, isSecret } from './secret-name.ts'

/** What stands where a secret was. */
export const REDACTED = '[redacted]'

/** Below this length a known value counts only where it stands apart from letters and digits. */
const SURE_LENGTH = 8
/** Shorter values occur in text by chance. */
const MIN_LENGTH = 4

// each takes the whole run of characters at once: what is left to check is checked on the match
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

/** What each of the forms has, and most text has not. */
const HINT =
  /eyJ|bearer|sk[-_]|rk[-_]|xai[-_]|AIza|gh[opsu]_|github_pat_|glpat-|npm_|hf_|xox|AKIA|authorization|:\/\//i

/** Words that follow "bearer" in prose and in challenges. */
const AFTER_BEARER =
  /^(?:a|and|as|auth|authentication|authorization|challenge|credentials?|error|for|format|from|has|header|in|is|must|not|of|only|or|prefix|realm|required|scheme|scope|that|the|to|tokens?|was|with)$/i

/** Makes a function that takes known values, and whatever has the form of a credential, out of text. */
export function textRedactor(known: readonly string[]): (text: string) => string {
  const values = knownPattern(known)
  return (text) => {
    if (text.length < MIN_LENGTH) return text
    const rest = values === undefined ? text : text.replaceAll(values, REDACTED)
    const plain = HINT.test(rest) ? withoutForms(rest) : rest
    return hintsAtSecret(plain) ? withoutMembers(plain) : plain
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
  return value.length >= SURE_LENGTH ? literal : `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`
}

function withoutForms(text: string): string {
  const rest = text
    .replaceAll(JWT, (found) => (found.includes('.') ? withStop(found) : found))
    .replaceAll(BEARER, bearer)
    .replaceAll(PREFIXED_KEY, (found) => (/[\d*]|-[\w-]{8}|\w{20}/.test(found) ? withStop(found) : found))
    .replaceAll(PROVIDER_KEY, REDACTED)
  return rest.includes(':')
    ? rest.replaceAll(OTHER_SCHEME, `$1${REDACTED}`).replaceAll(URL_PASSWORD, `$1${REDACTED}`)
    : rest
}

/** The full stop behind a credential ends the sentence. */
function withStop(found: string): string {
  return found.endsWith('.') ? `${REDACTED}.` : REDACTED
}

function bearer(whole: string, scheme: string, space: string, token: string): string {
  const word = token.replace(/[.=].*$/, '')
  return AFTER_BEARER.test(word) ? whole : `${scheme}${space}${REDACTED}`
}

/** Values under sensitive names in URLs, assignments and JSON within text. Prose such as "password: required" stays. */
function withoutMembers(text: string): string {
  const rest = text.includes('=')
    ? text.replaceAll(QUERY_PARAMETER, parameter).replaceAll(ASSIGNMENT, assignment)
    : text
  if (!rest.includes('"')) return rest
  const plain = withoutNested(rest, `"${REDACTED}"`).replaceAll(
    JSON_MEMBER,
    (whole, name: string, colon: string, value: string) =>
      isSecret(name, jsonValue(value)) ? `"${name}"${colon}"${REDACTED}"` : whole,
  )
  return plain.replaceAll(ESCAPED_MEMBER, (whole, name: string, colon: string, value: string) =>
    isSecret(name, jsonValue(value.replaceAll('\\', '')))
      ? String.raw`\"${name}\"${colon}\"${REDACTED}\"`
      : whole,
  )
}

function parameter(whole: string, mark: string, name: string, value: string): string {
  return isSecret(name, value) ? `${mark}${name}=${REDACTED}` : whole
}

/** `PASSWORD=abc`, as shells and connection strings have it. */
function assignment(whole: string, name: string, value: string): string {
  const plain = value.replaceAll(/^["']|["']$/g, '')
  const says = plain !== '' && !/^(?:true|false|null|undefined)$/.test(plain)
  return says && isSecret(name, plain) ? `${name}=${REDACTED}` : whole
}

function jsonValue(literal: string): string | number {
  return literal.startsWith('"') ? literal.slice(1, -1) : Number(literal)
}
