import { useState } from 'react'
import { TextField } from '../../ui/controls/text-field.tsx'
import { EXAMPLES } from '../validate-value.ts'
import { noteOf } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for a string. An empty optional value is removed. */
export function StringField({ schema, value, onChange, path, errors, name = 'Value', required }: KindProps) {
  const format = noteOf(schema, 'format')
  return (
    <TextField
      label={noteOf(schema, 'title') ?? name}
      value={typeof value === 'string' ? value : ''}
      required={required ?? false}
      hint={noteOf(schema, 'description')}
      error={errors.get(path)}
      placeholder={EXAMPLES[format ?? ''] ?? ''}
      onChange={(text) => onChange(text === '' && !required ? undefined : text)}
    />
  )
}

/** A field for a number, which keeps what is typed: decimals, exponents and signs. Other text is an error when sent. */
export function NumberField({ schema, value, onChange, path, errors, name = 'Value', required }: KindProps) {
  const [text, setText] = useState('')
  // a value from outside replaces the text
  const shown =
    numberIn(text) === value ? text : typeof value === 'number' || typeof value === 'string' ? `${value}` : ''
  const typed = (next: string) => {
    setText(next)
    onChange(numberIn(next))
  }
  return (
    <TextField
      label={noteOf(schema, 'title') ?? name}
      value={shown}
      required={required ?? false}
      hint={noteOf(schema, 'description') ?? boundsOf(schema)}
      error={errors.get(path)}
      onChange={typed}
    />
  )
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The number, or the text if it is none; undefined if it is empty. */
function numberIn(text: string): number | string | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  return NUMBER.test(typed) && Number.isFinite(Number(typed)) ? Number(typed) : text
}

function boundsOf({ minimum, maximum }: KindProps['schema']): string | undefined {
  const parts = [
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? [`from ${minimum}`] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`to ${maximum}`] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' ')
}
