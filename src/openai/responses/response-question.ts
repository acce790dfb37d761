import type { ModelMessage } from 'ai'
import type { ResponseBody } from '../../contract/endpoints/openai.ts'
import type { OpenaiExchange } from '../exchange.ts'
import {
  invalidMember,
  isJson,
  optionsFrom,
  refuse,
  schemaOf,
  sentCall,
  textContent,
  toolChoiceOf,
  toolsOf,
  Transcript,
  userContent,
} from '../question.ts'
import type { Question, SystemText } from '../question.ts'
import { findItem } from './response-records.ts'

const always = () => true

/** What a response can't have here. */
const REFUSED = {
  conversation: always,
  prompt: always,
  top_logprobs: (count: unknown) => count !== 0,
  context_management: always,
}

/**
 * Reads the request of a response.
 *
 * @param earlier the messages of the responses before it
 * @throws AppError `invalid_input` naming the member.
 */
export async function responseQuestion(
  body: ResponseBody,
  earlier: readonly ModelMessage[],
  exchange: OpenaiExchange,
): Promise<Question> {
  refuse(body, REFUSED)
  const options = optionsFrom(body, {
    maxOutputTokens: body.max_output_tokens,
    ...toolChoiceOf(body.tool_choice),
  })
  const { instructions } = body
  const { messages, system } = await readInput(body.input, earlier, exchange)
  return {
    messages,
    system: [...(instructions ? [{ text: instructions, param: 'instructions' }] : []), ...system],
    tools: toolsOf(body.tools, 'tool'),
    schema: schemaOf(body.text?.format, 'text.format'),
    options,
    user: body.user,
  }
}

async function readInput(
  input: ResponseBody['input'],
  earlier: readonly ModelMessage[],
  exchange: OpenaiExchange,
): Promise<Pick<Question, 'messages' | 'system'>> {
  const transcript = new Transcript(earlier)
  const system: SystemText[] = []
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  for (const [index, item] of items.entries())
    await readItem(item, {
      path: typeof input === 'string' ? 'input' : `input[${index}]`,
      transcript,
      system,
      exchange,
    })
  return { messages: transcript.finish('input'), system }
}

interface Reading {
  readonly path: string
  readonly transcript: Transcript
  readonly system: SystemText[]
  readonly exchange: OpenaiExchange
}

async function readItem(item: Readonly<Record<string, unknown>>, reading: Reading): Promise<void> {
  const { path, transcript, exchange } = reading
  const { type = 'message' } = item
  switch (type) {
    case 'message':
      return readMessage(item, reading)
    case 'function_call': {
      const { call_id: id } = item
      return transcript.addAnswer('', [sentCall({ id, call: item }, path)])
    }
    case 'function_call_output': {
      const text = textContent(item['output'], `${path}.output`)
      return transcript.addResult(item['call_id'], text, `${path}.call_id`)
    }
    case 'item_reference': {
      const { id } = item
      if (typeof id !== 'string') throw invalidMember(`${path}.id`, 'Must be the id of an item')
      return readItem(await findItem(id, exchange), reading)
    }
    case 'reasoning':
      // that of another model, which this one could not use
      return undefined
    default:
      throw invalidMember(`${path}.type`, 'Must be a message, a function call or its output')
  }
}

function readMessage(item: Readonly<Record<string, unknown>>, { path, transcript, system }: Reading): void {
  const { role, content } = item
  switch (role) {
    case 'system':
    case 'developer':
      system.push({ text: textContent(content, `${path}.content`), param: `${path}.role` })
      return
    case 'user':
      // a text without items is the input itself
      transcript.add({ role, content: userContent(content, path === 'input' ? path : `${path}.content`) })
      return
    case 'assistant':
      transcript.addAnswer(textContent(content, `${path}.content`), [])
      return
    default:
      throw invalidMember(`${path}.role`, 'Must be system, developer, user or assistant')
  }
}

/** The text of the last message, which has the input of a workflow. */
export function lastInput({ input }: Pick<ResponseBody, 'input'>) {
  if (typeof input === 'string') return { text: input, param: 'input' }
  const param = `input[${input.length - 1}].content`
  const last = input.at(-1)
  return { text: textContent(isJson(last) ? last['content'] : undefined, param), param }
}
