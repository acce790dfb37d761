import { useMemo, useState } from 'react'
import { isObject } from '../../../form/json-schema.ts'
import type { ChatOptions } from './session/chat-session.ts'

export interface ChatOptionsText {
  readonly text: string
  readonly setText: (text: string) => void
  readonly options: ChatOptions
  readonly problem: string | undefined
  readonly isSet: boolean
}

/** Options sent with every message, edited as JSON and validated by the server. */
export function useChatOptions(): ChatOptionsText {
  const [text, setText] = useState('{}')
  const { options, problem } = useMemo(() => read(text), [text])
  return { text, setText, options, problem, isSet: Object.keys(options).length > 0 }
}

function read(text: string): { options: ChatOptions; problem: string | undefined } {
  if (text.trim() === '') return { options: {}, problem: undefined }
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return { options: value, problem: undefined }
    return { options: {}, problem: 'Options must be a JSON object' }
  } catch {
    return { options: {}, problem: 'Invalid JSON' }
  }
}
