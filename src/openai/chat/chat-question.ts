import type { ChatCompletionBody } from '../../contract/endpoints/openai.ts'
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

const always = () => true

/** What a completion can't have here. */
const REFUSED = {
  n: (n: unknown) => n !== 1,
  logprobs: (on: unknown) => on !== false,
  top_logprobs: (count: unknown) => count !== 0,
  functions: always,
  function_call: always,
  audio: always,
  modalities: (modes: unknown) => !(Array.isArray(modes) && modes.every((mode) => mode === 'text')),
  web_search_options: always,
}

/**
 * Reads the request of a chat completion.
 *
 * @throws AppError `invalid_input` naming the member.
 */
export function chatQuestion(body: ChatCompletionBody): Question {
  refuse(body, REFUSED)
  const { stop, max_tokens: max, max_completion_tokens: maxOutputTokens = max } = body
  const options = optionsFrom(body, {
    maxOutputTokens,
    stopSequences: typeof stop === 'string' ? [stop] : stop,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    ...toolChoiceOf(body.tool_choice),
  })
  return {
    ...chatMessages(body.messages),
    tools: toolsOf(body.tools, 'function'),
    schema: schemaOf(body.response_format, 'response_format'),
    options,
    user: body.user,
  }
}

function chatMessages(messages: ChatCompletionBody['messages']): Pick<Question, 'messages' | 'system'> {
  const transcript = new Transcript()
  const system: SystemText[] = []
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    const { role, content } = message
    switch (role) {
      case 'system':
      case 'developer':
        system.push({ text: textContent(content, `${path}.content`), param: `${path}.role` })
        break
      case 'user':
        transcript.add({ role, content: userContent(content, `${path}.content`) })
        break
      case 'assistant': {
        const { tool_calls: calls = [], refusal } = message
        if (calls !== null && !Array.isArray(calls))
          throw invalidMember(`${path}.tool_calls`, 'Must be a list')
        const text = textContent(content ?? refusal, `${path}.content`)
        const sent = ((calls ?? []) as unknown[]).map((call, at) => {
          const { id, function: called } = isJson(call) ? call : {}
          return sentCall({ id, call: called }, `${path}.tool_calls[${at}]`)
        })
        transcript.addAnswer(text, sent)
        break
      }
      case 'tool':
        transcript.addResult(
          message['tool_call_id'],
          textContent(content, `${path}.content`),
          `${path}.tool_call_id`,
        )
        break
      default:
        throw invalidMember(`${path}.role`, 'Must be system, developer, user, assistant or tool')
    }
  }
  return { messages: transcript.finish('messages'), system }
}

/** The text of the last message, which has the input of a workflow. */
export function lastText({ messages }: Pick<ChatCompletionBody, 'messages'>): {
  readonly text: string
  readonly param: string
} {
  const param = `messages[${messages.length - 1}].content`
  return { text: textContent(messages.at(-1)?.['content'], param), param }
}
