import { useState, useEffect } from 'react'
import type { FieldErrors } from './field-errors.ts'
import { initialValue } from './initial-value.ts'
import type { JsonSchema } from './json-schema.ts'
import { useServices } from '../services/services-context.tsx'

/** Leaving the page asks before what was entered is discarded. */
export function useUnsaved(edited: boolean): void {
  const { router } = useServices()
  useEffect(() => (edited ? router.unsaved.add() : undefined), [router, edited])
}

/** Reports that something was entered, to the page and to what contains the panel. */
export function useEdited(edited: boolean, onEdited: ((edited: boolean) => void) | undefined): void {
  useUnsaved(edited)
  useEffect(() => {
    onEdited?.(edited)
    return () => onEdited?.(false)
  }, [edited, onEdited])
}

type FormMode = 'form' | 'json'

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
  /** Sets the value in the current mode, also where the text is not JSON. */
  readonly replace: (value: unknown) => void
  /** The value to send, or the problem that prevents it. */
  readonly read: () => { readonly value: unknown; readonly problem?: string }
  /** Calls `send` with the value if it matches the schema. Otherwise its errors are shown, until they are mended. */
  readonly submit: (send: (value: unknown) => void) => void
  /** The errors of the value, once it was to be sent. */
  readonly errors: FieldErrors
  /** Number of times that the value was refused: the focus moves to the first bad field. */
  readonly refusals: number
  /** Whether something was entered. */
  readonly edited: boolean
  /** Whether something was entered that was not submitted. */
  readonly unsaved: boolean
}

type Validate = (schema: JsonSchema, value: unknown) => FieldErrors

const NO_ERRORS: FieldErrors = new Map()
/** The server checks the value too, so it is sent when the code of the check can't be loaded. */
const UNCHECKED = { validateValue: () => NO_ERRORS }

/** The state of a form for a schema. `initial` replaces the default initial value. */
export function useForm(schema: JsonSchema, initial?: unknown): Form {
  const [first] = useState<unknown>(() => initial ?? initialValue(schema, schema))
  const [value, setValue] = useState(first)
  const [mode, setMode] = useState<FormMode>('form')
  const [text, setText] = useState('')
  const [check, setCheck] = useState<{ readonly validate: Validate; readonly refusals: number }>()
  const read = () => (mode === 'form' ? { value } : parse(text))
  const own = read()
  const [submitted, setSubmitted] = useState<string>()
  const edited = own.problem !== undefined || JSON.stringify(own.value) !== JSON.stringify(first)
  const submit: Form['submit'] = (send) => {
    const { value: next, problem } = own
    if (problem !== undefined) return
    void attempt(next, send)
  }
  const attempt = async (next: unknown, send: (value: unknown) => void) => {
    const { validateValue } = await import('./validate-value.ts').catch(() => UNCHECKED)
    if (validateValue(schema, next).size === 0) {
      setSubmitted(JSON.stringify(next))
      return send(next)
    }
    setCheck((old) => ({ validate: validateValue, refusals: (old?.refusals ?? 0) + 1 }))
  }
  return {
    schema,
    mode,
    value,
    text,
    setValue,
    setText,
    replace: (next) => {
      setValue(next)
      setText(JSON.stringify(next ?? {}, null, 2))
    },
    read,
    submit,
    errors: check && own.problem === undefined ? check.validate(schema, own.value) : NO_ERRORS,
    refusals: check?.refusals ?? 0,
    edited,
    unsaved: edited && JSON.stringify(own.value) !== submitted,
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
