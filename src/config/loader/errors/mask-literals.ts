import { isSecretName } from '../../../lib/redact/secret-name.ts'

/** Comments, texts, regular expressions (where an expression may begin), names, ends of lines, and other characters. */
const TOKEN = new RegExp(
  [
    /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
    /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\[\s\S]|[^`\\])*`?/,
    /(?<=[=(,:[!&|?{};\n]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//,
    /[\p{L}_$][\p{L}\d_$]*|\n|[^\s\p{L}\d_$]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)
/** A name with a quoted value, in a comment. */
const ASSIGNED = /([\w$-]+)(['"]?\s*[:=]\s*)(['"`])(.*?)(\3|$)/gm
/** A URL up to its password, and the password. */
const URL_PASSWORD = /(\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s/:@'"`]{0,256}:)([^\s'"`]+)(?=@)/gi
const NAME = /^[\w$-]{1,64}$/

/**
 * Masks the string literals of a source that follow a sensitive name, such as `apiKey: '…'` or `token = get('…')`, up to
 * the end of the statement or to the next name that gets a value; and the passwords of URLs. The text keeps its length,
 * so that positions stay valid. The source may have syntax errors.
 */
export function maskLiterals(source: string): string {
  const masking = new Masking()
  const masked = source.replaceAll(TOKEN, (token, offset: number) => {
    if (token.startsWith('//') || token.startsWith('/*')) return maskComment(token)
    return masking.next(token, source.slice(offset + token.length, offset + token.length + LOOK_AHEAD))
  })
  return masked.replaceAll(
    URL_PASSWORD,
    (_, before: string, password: string) => before + '*'.repeat(password.length),
  )
}

const LOOK_AHEAD = 100
/** What precedes the key of a member, a variable or a parameter. */
const BEFORE_KEY = new Set(['', '\n', ',', ';', '{', '(', 'const', 'let', 'var'])
const CONTINUES = new Set([':', '=', '(', '[', '{', ',', '+', '?', '|', '&', '.', '>'])

/** The state between tokens: whether the last name that got a value is sensitive. */
class Masking {
  #sensitive = false
  /** The last token; after a line that does not end its expression, that of the line. */
  #last = ''

  next(token: string, rest: string): string {
    const isText = /^['"`]/.test(token)
    const name = isText ? token.slice(1, -1) : token
    if (token === '\n') return this.#endLine(rest)
    // the name of a module is no secret
    if (token === ';' || (isText && /^(?:from|import)$/.test(this.#last))) this.#sensitive = false
    if (isText || NAME.test(token)) {
      if (BEFORE_KEY.has(this.#last) && /^\s*(?::|\??:|=(?![=>]))/.test(rest)) this.#sensitive = false
      if (this.#sensitive && isText) return this.#keep('text', maskText(token))
      if (NAME.test(name) && isSecretName(name)) this.#sensitive = true
    }
    return this.#keep(isText ? 'text' : token, token)
  }

  #keep(last: string, shown: string): string {
    this.#last = last
    return shown
  }

  #endLine(rest: string): string {
    const continues = CONTINUES.has(this.#last) || /^\s*[?|+&:.]/.test(rest)
    if (!continues) this.#sensitive = false
    // a member's key may follow a comma or a brace on the next line; the line of an expression continues
    return this.#keep(continues ? this.#last : '\n', '\n')
  }
}

function maskText(literal: string): string {
  const [quote = ''] = literal
  const isClosed = literal.length > 1 && literal.endsWith(quote)
  const text = literal.slice(1, isClosed ? -1 : undefined)
  return `${quote}${text.replaceAll(/[^\r\n]/g, '*')}${isClosed ? quote : ''}`
}

function maskComment(comment: string): string {
  return comment.replaceAll(
    ASSIGNED,
    (match, name: string, between: string, quote: string, value: string, end: string) =>
      isSecretName(name) ? `${name}${between}${quote}${'*'.repeat(value.length)}${end}` : match,
  )
}
