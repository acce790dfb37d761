import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import type { JsonSchema } from '../../../lib/schema/json-schema.ts'
import { sampleValue } from '../../sample/sample-value.ts'

/** The answer of the demo model to a call. `json` is the input of the tool as JSON text. */
export type DemoPlan =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly toolName: string; readonly json: string }

/**
 * Plans the answer to a call: a call of the tool that matches the last user message, by its own name and description or
 * by what the instructions say about it, or of one that `toolChoice` demands, otherwise JSON if requested, otherwise a
 * text: the output of the tools, a fact that the user has told before, the first document that was retrieved, or the
 * message itself. `note` is appended to every text.
 */
export async function planDemo(options: LanguageModelV3CallOptions, note: string): Promise<DemoPlan> {
  const { prompt, responseFormat, toolChoice } = options
  const lastUser = prompt.findLastIndex((message) => message.role === 'user')
  const question = lastUser < 0 ? '' : textOf(prompt[lastUser])
  const results = prompt.slice(lastUser + 1).flatMap(toolResultsOf)
  const isForced = toolChoice?.type === 'required' || toolChoice?.type === 'tool'
  const called = new Set(results.map(({ toolName }) => toolName))
  const tool = results.length === 0 || isForced ? chooseTool(options, question, called) : undefined
  if (tool !== undefined) {
    const inputSchema = tool.inputSchema as JsonSchema
    const input = await sampleValue(inputSchema, question)
    return { kind: 'tool', toolName: tool.name, json: JSON.stringify(input) }
  }
  const toolOutput = results.map((result) => `${result.toolName} returned ${outputText(result)}`).join('\n')
  if (responseFormat?.type === 'json') {
    const source = toolOutput === '' ? question : `${question}\n${toolOutput}`
    const value =
      responseFormat.schema === undefined
        ? { demo: true, input: question }
        : await sampleValue(responseFormat.schema as JsonSchema, source)
    return { kind: 'text', text: JSON.stringify(value) }
  }
  const said =
    recall(question, prompt.slice(0, Math.max(lastUser, 0))) ??
    firstDocument(prompt) ??
    `You said: ${question || '(nothing)'}`
  return { kind: 'text', text: `${toolOutput || said}\n\n— ${note}` }
}

/** A fact, with the capitalised words that follow: "My name is Ada Lovelace". */
const FACT = /\b[Mm]y (\p{L}+) is (?!not\b)([\p{L}\p{N}-]+(?: \p{Lu}[\p{L}-]*)*)/gu

/** As `withDocuments` writes them; a first line of JSON has the other members of the document. */
const DOCUMENT = /<document>\n(?:\{.*\}\n)?([^]*?)\n<\/document>/

/** "Your name is Ada." for "What is my name?" after "My name is Ada". The latest fact counts. */
function recall(question: string, past: LanguageModelV3CallOptions['prompt']): string | undefined {
  const subject = /\bwhat(?: is|['’]s) my (\p{L}+)/iu.exec(question)?.[1]?.toLowerCase()
  if (subject === undefined) return undefined
  const facts = past
    .filter(({ role }) => role === 'user')
    .flatMap((message) => [...textOf(message).matchAll(FACT)])
  const fact = facts.findLast(([, about = '']) => about.toLowerCase() === subject)
  return fact?.[2] === undefined ? undefined : `Your ${subject} is ${fact[2]}.`
}

/** The first document that a retriever has found, as it stands in the instructions. */
function firstDocument(prompt: LanguageModelV3CallOptions['prompt']): string | undefined {
  const instructions = prompt.filter(({ role }) => role === 'system').map(textOf)
  const text = DOCUMENT.exec(instructions.join('\n'))?.[1]
  return text === undefined ? undefined : `A document says: ${text}`
}

function textOf(message: LanguageModelV3Message | undefined): string {
  if (message === undefined) return ''
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function toolResultsOf(message: LanguageModelV3Message): LanguageModelV3ToolResultPart[] {
  if (message.role !== 'tool') return []
  return message.content.filter((part) => part.type === 'tool-result')
}

function outputText({ output }: LanguageModelV3ToolResultPart): string {
  if (output.type === 'execution-denied') return `nothing: the call was denied ${output.reason ?? ''}`.trim()
  if (output.type === 'content') {
    return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')
  }
  const value = typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
  return output.type.startsWith('error') ? `an error: ${value}` : value
}

function chooseTool(
  options: LanguageModelV3CallOptions,
  said: string,
  called: ReadonlySet<string>,
): LanguageModelV3FunctionTool | undefined {
  const { toolChoice, tools = [] } = options
  if (toolChoice?.type === 'none') return undefined
  const callable = tools.filter((tool) => tool.type === 'function')
  if (toolChoice?.type === 'tool') return callable.find((tool) => tool.name === toolChoice.toolName)
  const words = new Set(wordsOf(said))
  const instructions = options.prompt
    .filter(({ role }) => role === 'system')
    .map(textOf)
    .join('\n')
  const ranked = callable
    .map((tool) => ({ tool, score: scoreOf(tool, words, instructions) }))
    .toSorted((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
    // a tool that must be called is another one than before, if there is one
    .toSorted((one, other) => Number(called.has(one.tool.name)) - Number(called.has(other.tool.name)))
  const [best] = ranked
  return best !== undefined && (best.score > 0 || toolChoice?.type === 'required') ? best.tool : undefined
}

/**
 * The number of words that the question shares with a tool and with the sentences of the instructions that name it.
 * Words of its name count three times.
 */
function scoreOf(
  { name, description = '' }: LanguageModelV3FunctionTool,
  words: ReadonlySet<string>,
  instructions: string,
): number {
  const shared = (text: string) => new Set(wordsOf(text).filter((word) => words.has(word))).size
  const about = instructions.split(/[.!?]\s|\n/).filter((sentence) => namesOf(sentence).has(name))
  return 3 * shared(name) + shared(description) + shared(about.join(' ').replaceAll(name, ' '))
}

function namesOf(sentence: string): ReadonlySet<string> {
  return new Set(sentence.match(/[\w-]+/g))
}

const COMMON = new Set(
  'about and any are ask but can does find for from get give has have how into its let not now our out please set tell that the their them then this use used uses using was what when where which who will with you your'.split(
    ' ',
  ),
)

function wordsOf(text: string): string[] {
  const separate = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  const words = separate.match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .filter((word) => word.length > 2 && !COMMON.has(word))
    .map((word) => word.replace(/(?<=..[^s])s$/, ''))
}
