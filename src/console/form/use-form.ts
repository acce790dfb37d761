import { useState } from 'react'
import { initialValue } from './initial-value.ts'
import type { JsonSchema } from './json-schema.ts'

export type FormMode = 'form' | 'json'

/** The value of a form, and its current mode. */
export interface Form {
  readonly schema: JsonSchema
  readonly mode: FormMode
  readonly value: unknown
  /** The value as JSON text, in the mode `json`. */
  readonly text: string
  readonly setMode: (mode: FormMode) => void
  readonly setValue: (value: unknown) => void
  readonly setText: (text: string) => void
  /** The value to send, or the problem that prevents it. */
  readonly read: () => { readonly value: unknown; readonly problem?: string }
}

/** The state of a form for a schema. `initial` replaces the default initial value. */
export function useForm(schema: JsonSchema, initial?: unknown): Form {
  const [value, setValue] = useState<unknown>(() => initial ?? initialValue(schema, schema))
  const [mode, setMode] = useState<FormMode>('form')
  const [text, setText] = useState('')
  const read = () => (mode === 'form' ? { value } : parse(text))
  return {
    schema,
    mode,
    value,
    text,
    setValue,
    setText,
    read,
    setMode: (next) => {
      if (next === mode) return
      if (next === 'json') setText(JSON.stringify(value ?? {}, null, 2))
      else {
        const { value: typed, problem } = read()
        // invalid JSON stays in the editor, where it can be fixed
        if (problem !== undefined) return
        setValue(typed)
      }
      setMode(next)
    },
  }
}

function parse(text: string): { value: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { value: undefined, problem: `Invalid JSON: ${(error as Error).message}` }
  }
}
