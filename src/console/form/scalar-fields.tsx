import { TextField } from '../ui/controls/text-field.tsx'
import { noteOf } from './json-schema.ts'
import type { KindProps } from './field-props.ts'

const EXAMPLES: Readonly<Record<string, string>> = {
  email: 'name@example.com',
  uri: 'https://…',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
}

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

/** A field for a number. Invalid input is kept as text, and rejected by the server. */
export function NumberField({ schema, value, onChange, path, errors, name = 'Value', required }: KindProps) {
  return (
    <TextField
      label={noteOf(schema, 'title') ?? name}
      value={typeof value === 'number' || typeof value === 'string' ? String(value) : ''}
      required={required ?? false}
      hint={noteOf(schema, 'description') ?? boundsOf(schema)}
      error={errors.get(path)}
      onChange={(text) => onChange(text.trim() === '' ? undefined : numberIn(text))}
    />
  )
}

function numberIn(text: string): number | string {
  const value = Number(text)
  // keeps incomplete input such as `1.` and `-`
  return Number.isFinite(value) && String(value) === text.trim() ? value : text
}

function boundsOf({ minimum, maximum }: KindProps['schema']): string | undefined {
  const parts = [
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? [`from ${minimum}`] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`to ${maximum}`] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' ')
}
