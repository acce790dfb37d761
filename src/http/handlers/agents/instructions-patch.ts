import fs from 'node:fs/promises'
import path from 'node:path'
import { createTwoFilesPatch } from 'diff'
import type { InstructionsPatch } from '../../../contract/endpoints/agents/lab.ts'

export interface PatchedSource {
  /** The project's directory. */
  readonly root: string
  /** The files of the configuration in service, relative to it. */
  readonly files: readonly string[]
}

/** How a text is written between each kind of quotes. */
const LITERALS: Readonly<Record<string, (text: string) => string>> = {
  "'": (text) => quoted(text, "'"),
  '"': (text) => quoted(text, '"'),
  '`': (text) => `\`${text.replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`)}\``,
}

/**
 * The change of the source file that replaces the instructions of an agent, as a unified diff. The text must stand in the
 * project's files exactly once, as one string or template literal.
 */
export async function instructionsPatch(
  before: string | ((...args: never[]) => unknown),
  after: string,
  { root, files }: PatchedSource,
): Promise<InstructionsPatch> {
  if (typeof before !== 'string') return without('The instructions are a function of the request')
  const found: { file: string; source: string; quote: string; literal: string }[] = []
  for (const file of files.filter((one) => !one.startsWith('..'))) {
    const source = await fs.readFile(path.join(root, file), 'utf8').catch(() => '')
    for (const [quote, write] of Object.entries(LITERALS)) {
      const literal = withLineEnds(write(before), source)
      for (let at = source.indexOf(literal); at !== -1; at = source.indexOf(literal, at + 1))
        found.push({ file, source, quote, literal })
    }
  }
  const [only, other] = found
  if (!only) return without('No file of the project has the instructions as one text')
  if (other) return without(`The text stands in the project ${found.length} times`)
  const { file, source, quote, literal } = only
  const style = quote !== '`' && after.includes('\n') ? '`' : quote
  const replaced = source.replace(literal, () => withLineEnds(LITERALS[style]?.(after) ?? '', source))
  return { file, patch: createTwoFilesPatch(`a/${file}`, `b/${file}`, source, replaced, '', '') }
}

/** A literal with the line ends of its file: the value of a template literal has `\n` in every file. */
function withLineEnds(literal: string, source: string): string {
  return source.includes('\r\n') ? literal.replaceAll('\n', '\r\n') : literal
}

function quoted(text: string, quote: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
  return quote + escaped + quote
}

function without(reason: string): InstructionsPatch {
  return { file: null, patch: null, reason }
}
