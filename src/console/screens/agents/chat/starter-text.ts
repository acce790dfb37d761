interface NamedTool {
  readonly name: string
  readonly description: string
}

const MAX_LENGTH = 90

/** Phrases before the verb of a description. */
const INTRODUCTION =
  /^(?:please |(?:use|call) this(?: tool| function)? (?:to|for|when you need to) |(?:this|a|the) (?:tool|function) (?:that |which |to )?|(?:tool|function) (?:that |which |to )|used to |(?:lets|allows|enables) (?:you|users|the agent) (?:to )?|can |will )+/i

/** Words after a verb, by which an unknown verb is found. */
const AFTER_VERB = new Set('a an the all any one your my our this that these it them up out'.split(' '))

const VERBS = new Set(
  `add analyse analyze answer apply approve archive ask assign book buy calculate call cancel change charge check
  choose clean close compare compute confirm convert copy count create decide delete deploy describe detect draft edit
  email estimate evaluate explain export extract fetch file find fix forecast format generate get give import insert
  inspect invite issue list load log look make merge move notify open order parse pay plan post predict print process
  provide publish query quote rank read record refund remind remove rename render reply report request reserve reset
  resize resolve retrieve return review roll rotate run save schedule search send set share show sort start stop store
  submit subscribe suggest sum summarise summarize sync tell test track transfer translate update upload validate
  verify write`
    .trim()
    .split(/\s+/),
)

/** Verbs of tools that answer with something: a person asks to see it. */
const SHOWN = new Set(['fetch', 'get', 'give', 'provide', 'retrieve', 'return', 'show'])

/**
 * A message for which an agent may call a tool, made from the tool's description, such as `Look up an order` for
 * `Looks up an order.`, else from its name. Undefined if neither has words.
 */
export function starterText({ name, description }: NamedTool): string | undefined {
  return fromDescription(description) ?? fromName(name)
}

function fromDescription(description: string): string | undefined {
  const sentence = /^[^\n]*?(?=[.!?](?:\s|$)|[:;\n]|$)/
    .exec(description.trim())?.[0]
    .replaceAll(/\s+/g, ' ')
    .replace(INTRODUCTION, '')
    .trim()
  if (sentence === undefined || sentence.length > MAX_LENGTH || !/^\p{L}/u.test(sentence)) return undefined
  const [first = '', second = '', ...rest] = sentence.split(' ')
  if (second === '') return undefined
  const after = [second, ...rest].join(' ')
  const verb = verbIn(first.toLowerCase(), second.toLowerCase())
  if (verb === undefined) return `Show me the ${withoutArticle(sentence)}`
  return SHOWN.has(verb) ? `Show me ${withoutMe(after)}` : capitalised(`${verb} ${after}`)
}

/** The verb at the start of a sentence as an order: `look` for `looks`. */
function verbIn(first: string, second: string): string | undefined {
  const candidates = [first, ...bareForms(first)]
  const known = candidates.find((one) => VERBS.has(one))
  if (known !== undefined) return known
  return AFTER_VERB.has(second) && /^[a-z-]+$/.test(first) ? candidates.at(-1) : undefined
}

/** What a verb in the third person may be without its ending. */
function bareForms(word: string): readonly string[] {
  if (!word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return []
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`]
  const plain = word.slice(0, -1)
  return /(?:ch|sh|ss|x|zz|o)es$/.test(word) ? [plain, word.slice(0, -2)] : [plain]
}

/** `lookupOrder` and `lookup_order` as words. */
function fromName(name: string): string | undefined {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase()
  return words === '' || words.length > MAX_LENGTH ? undefined : capitalised(words)
}

function withoutArticle(text: string): string {
  return lowerFirst(text).replace(/^(?:the|an|a) /, '')
}

function withoutMe(text: string): string {
  return text.replace(/^(?:me|you|back) /, '')
}

function lowerFirst(text: string): string {
  // names and abbreviations keep their capitals
  return /^\p{Lu}\p{Ll}*(?:\s|$)/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
