import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'
import type { Ask } from './ask.ts'

interface Field {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

/** Prompts for the members of a form, which have simple values. `undefined` when the user leaves it. */
export async function fillForm(
  schema: Readonly<Record<string, unknown>>,
  ask: Ask,
  terminal: Terminal,
): Promise<Record<string, unknown> | undefined> {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, Field>>
    required?: readonly string[]
  }
  const values: [string, unknown][] = []
  for (const [name, field] of Object.entries(properties)) {
    const isRequired = required.includes(name)
    for (;;) {
      const typed = await ask(questionOf(name, field, isRequired))
      if (typed === undefined) return undefined
      const value = valueOf(typed.trim(), field)
      if (value === undefined && isRequired) {
        terminal.note(`${oneLine(name)} is required`)
        continue
      }
      if (value !== undefined) values.push([name, value])
      break
    }
  }
  return Object.fromEntries(values)
}

function questionOf(name: string, field: Field, isRequired: boolean): string {
  const { title, description, type = 'string' } = field
  const label = [title ?? name, ...(description === undefined ? [] : [description])].join(': ')
  const values = field.enum ?? (type === 'boolean' ? ['y', 'n'] : undefined)
  const facts = [
    values ? values.join('/') : type,
    ...(field.default === undefined ? [] : [`default ${JSON.stringify(field.default)}`]),
    ...(isRequired ? [] : ['optional']),
  ]
  return oneLine(`${label} (${facts.join(', ')}):`)
}

/** What was typed as a value of the field; texts that don't fit are refused by the server, which names the field. */
function valueOf(typed: string, field: Field): unknown {
  if (typed === '') return field.default
  switch (field.type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(typed) || (/^(?:n|no|false)$/i.test(typed) ? false : typed)
    case 'number':
    case 'integer':
      return Number.isNaN(Number(typed)) ? typed : Number(typed)
    default:
      return field.enum?.find((value) => String(value) === typed) ?? typed
  }
}
