import { useState } from 'react'
import { initialValue } from './initial-value.ts'
import type { JsonSchema } from './json-schema.ts'

export type FormMode = 'form' | 'json'

/** A form's value, and how it is written down at the moment. */
export interface Form {
  readonly schema: JsonSchema
  readonly mode: FormMode
  readonly value: unknown
  /** The value as JSON text, in the mode `json`. */
  readonly text: string
  readonly setMode: (mode: FormMode) => void
  readonly setValue: (value: unknown) => void
  readonly setText: (text: string) => void
  /** What to send, or why it can't be. */
  readonly read: () => { readonly value: unknown; readonly problem?: string }
}

/** The state of a form for a schema. `given` is what it starts with, in place of the schema's defaults. */
export function useForm(schema: JsonSchema, given?: unknown): Form {
  const [value, setValue] = useState<unknown>(() => given ?? initialValue(schema, schema))
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
        // what can't be read stays where it can be mended
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
    return { value: undefined, problem: `This is not JSON: ${(error as Error).message}` }
  }
}
