/** A part of a Markdown text: text in Markdown, or the content of a fenced code block. */
export interface MarkdownPart {
  readonly kind: 'text' | 'code'
  readonly text: string
  /** Of a code block; may be empty. */
  readonly language: string
}

/** Characters of a part at least. */
const MIN_LENGTH = 500
/** Characters from which a part also ends between items of a list; a part of twice as many ends at any line. */
const MAX_LENGTH = 3000

/** Lines that begin with a fence. */
const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/
/** Lines that continue a list. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
/** The line below the head of a table. */
const DELIMITER = /^ {0,3}\|?[ :-]*-[ :|-]*$/
/** Definitions of links and footnotes, which other parts may refer to. */
const DEFINITION = /^ {0,3}(\[[^\]\s][^\]]{0,200}\]):\s*\S/

/**
 * Splits Markdown between blocks. When the text grows only its last part changes, so that only that one has to be
 * rendered again. Definitions of links are added to the parts that refer to them.
 */
export function splitMarkdown(text: string): MarkdownPart[] {
  const splitter = new Splitter(text)
  let at = 0
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end + 1
    splitter.line(at, next)
    at = next
  }
  return splitter.parts()
}

class Splitter {
  readonly #text: string
  readonly #parts: MarkdownPart[] = []
  readonly #definitions = new Map<string, string>()
  /** Where the current part starts. */
  #from = 0
  #fence: { readonly mark: string; readonly language: string; readonly isPart: boolean } | undefined
  #isAfterBlank = false
  /** The previous line, and the head of the current table: repeated when the table is split. */
  #previous = ''
  #head = ''
  #prefix = ''

  constructor(text: string) {
    this.#text = text
  }

  line(at: number, next: number): void {
    const line = this.#text.slice(at, next).trimEnd()
    if (this.#fence) {
      const { mark, isPart } = this.#fence
      const closes = line.trim().startsWith(mark) && line.trim().replaceAll(mark.charAt(0), '') === ''
      if (!closes) return
      if (isPart) this.#cut(at, next)
      this.#fence = undefined
      this.#isAfterBlank = true
      return
    }
    const [, indentation, mark, info = ''] = (line.length < 300 && FENCE.exec(line)) || []
    if (mark !== undefined) {
      const isPart = indentation === ''
      if (isPart) this.#cut(at, next)
      this.#fence = { mark, language: info.trim().split(/\s/)[0] ?? '', isPart }
    } else if (line === '') {
      this.#isAfterBlank = true
      this.#head = ''
    } else this.#textLine(line, at)
    this.#previous = line
  }

  parts(): MarkdownPart[] {
    this.#cut(this.#text.length, this.#text.length)
    if (this.#definitions.size === 0) return this.#parts
    return this.#parts.map((part) => (part.kind === 'text' ? this.#withDefinitions(part) : part))
  }

  #textLine(line: string, at: number): void {
    const length = at - this.#from
    const startsBlock = this.#isAfterBlank && !/^\s/.test(line)
    const mayCut =
      (length >= MIN_LENGTH && startsBlock && !ITEM.test(line)) ||
      (length >= MAX_LENGTH && (startsBlock || this.#head !== '')) ||
      length >= 2 * MAX_LENGTH
    if (mayCut) {
      this.#cut(at, at)
      this.#prefix = this.#head
    }
    if (line.length < 2000 && line.includes('|') && DELIMITER.test(line))
      this.#head = `${this.#previous}\n${line}\n`
    const label = line.length < 3000 && DEFINITION.exec(line)?.[1]
    if (label) this.#definitions.set(label.toLowerCase(), line)
    this.#isAfterBlank = false
  }

  /** Ends the current part at `end`; the next one starts at `next`. */
  #cut(end: number, next: number): void {
    const text = this.#text.slice(this.#from, end)
    this.#from = next
    const prefix = this.#prefix
    this.#prefix = ''
    if (this.#fence?.isPart)
      this.#parts.push({ kind: 'code', text: text.replace(/\r?\n$/, ''), language: this.#fence.language })
    else if (text.trim() !== '') this.#parts.push({ kind: 'text', text: prefix + text, language: '' })
  }

  #withDefinitions(part: MarkdownPart): MarkdownPart {
    const lower = part.text.toLowerCase()
    const missing = [...this.#definitions].filter(
      ([label, line]) => lower.includes(label) && !part.text.includes(line),
    )
    if (missing.length === 0) return part
    return { ...part, text: `${part.text}\n\n${missing.map(([, line]) => line).join('\n\n')}` }
  }
}
