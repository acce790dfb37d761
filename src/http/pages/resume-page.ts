import type { Document } from '../reply/reply.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import { escapeHtml } from './escape-html.ts'

const CSP =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const HEADERS = {
  'Content-Security-Policy': CSP,
  // the address of the page is the permission; with no-referrer its own form would have no origin
  'Referrer-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex',
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dce1, #33373d); --dim: light-dark(#5a616b, #9aa2ad); --bad: light-dark(#b3261e, #f2b8b5); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.35rem; margin: 0 0 1rem; }
pre { border: 1px solid var(--line); border-radius: .4rem; padding: .75rem; overflow: auto; font: .85em/1.5 ui-monospace, monospace; }
label { display: block; margin: 1rem 0 .25rem; } label.check { display: flex; gap: .5rem; align-items: center; }
small { color: var(--dim); display: block; } [role=alert] { color: var(--bad); }
input:not([type=checkbox]), textarea, select { font: inherit; width: 100%; box-sizing: border-box; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: transparent; color: inherit; }
textarea { font-family: ui-monospace, monospace; min-height: 6rem; }
button { font: inherit; margin-top: 1.5rem; padding: .5rem 1.25rem; border-radius: .4rem; border: 1px solid currentColor; background: transparent; color: inherit; cursor: pointer; }
`

/** What a page asks for. */
export interface AskedResume {
  readonly workflowName: string
  readonly reason: string
  /** What is needed to decide. */
  readonly data: unknown
  /** Of the resume data; `undefined`: any JSON, or none. */
  readonly schema: JsonSchema | undefined
}

/** The name of the field with the whole data as JSON, where a form can't have fields for it. */
const JSON_FIELD = '$json'

/** The page with the form that resumes an execution. `problem`: why the data that was sent before was refused. */
export function resumePage(asked: AskedResume, sent?: URLSearchParams, problem?: string): Document {
  const { workflowName, reason, data, schema } = asked
  const fields = fieldsOf(schema)
  const controls = fields
    ? fields.map((field) => control(field, sent)).join('\n')
    : `<label for="f">Data (JSON)</label><textarea id="f" name="${JSON_FIELD}">${escapeHtml(sent?.get(JSON_FIELD) ?? '')}</textarea>`
  const shown =
    data === undefined || data === null ? '' : `<pre>${escapeHtml(JSON.stringify(data, undefined, 2))}</pre>`
  return {
    ...smallPage(
      workflowName,
      `<p>${escapeHtml(reason)}</p>${shown}
${problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`}
<form method="post">${controls}
<button>Send</button></form>`,
    ),
    ...(problem !== undefined && { status: 400 as const }),
  }
}

/** The page after the form was sent. */
export function resumedPage({ workflowName }: Pick<AskedResume, 'workflowName'>): Document {
  return smallPage(workflowName, '<p>Thank you. Your response was received.</p>')
}

/** The page of a link that resumes nothing: the same for one that was used, has expired, or never existed. */
export function deadLinkPage(): Document {
  return { ...smallPage('Link not valid', '<p>This link was used already, or has expired.</p>'), status: 404 }
}

/** A small page without scripts. `content` is HTML. */
export function smallPage(title: string, content: string): Document {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escapeHtml(title)}</h1>
${content}
</main></body></html>
`
  return { body, type: 'text/html; charset=utf-8', headers: HEADERS }
}

/** A member of the data that a form has a control for. `json`: a text area for any other value. */
interface Field {
  readonly name: string
  readonly type: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  readonly schema: JsonSchema
  readonly required: boolean
}

/** The controls for the members of an object; `undefined` for data that is no object. */
function fieldsOf(schema: JsonSchema | undefined): Field[] | undefined {
  const {
    type,
    properties,
    required = [],
  } = (schema ?? {}) as {
    type?: unknown
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
  }
  if (type !== 'object' || !properties) return undefined
  return Object.entries(properties).map(([name, member]) => ({
    name,
    schema: member,
    type: typeOf(member),
    required: required.includes(name),
  }))
}

function typeOf(schema: JsonSchema): Field['type'] {
  const { type, enum: choices } = schema as { type?: unknown; enum?: readonly unknown[] }
  if (choices?.every((choice) => typeof choice === 'string')) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'boolean' : 'json'
}

function control({ name, type, schema, required }: Field, sent: URLSearchParams | undefined): string {
  const {
    title,
    description,
    enum: choices = [],
    maxLength,
    default: initial,
  } = schema as {
    title?: string
    description?: string
    enum?: readonly string[]
    maxLength?: number
    default?: unknown
  }
  const id = escapeHtml(`f-${name}`)
  const attributes = `id="${id}" name="${escapeHtml(name)}"${required && type !== 'boolean' ? ' required' : ''}`
  const value = sent?.get(name) ?? (initial === undefined ? '' : textOf(initial, type))
  const hint = description === undefined ? '' : `<small>${escapeHtml(description)}</small>`
  const label = (content: string) =>
    `<label for="${id}">${escapeHtml(title ?? name)}${required ? '' : ' (optional)'}</label>${hint}${content}`
  switch (type) {
    case 'boolean': {
      const isChecked = sent ? sent.has(name) : initial === true
      return `<label class="check"><input type="checkbox" ${attributes} value="true"${isChecked ? ' checked' : ''}> ${escapeHtml(title ?? name)}</label>${hint}`
    }
    case 'choice': {
      const options = ['', ...choices].map(
        (choice) =>
          `<option value="${escapeHtml(choice)}"${choice === value ? ' selected' : ''}>${escapeHtml(choice)}</option>`,
      )
      return label(`<select ${attributes}>${options.join('')}</select>`)
    }
    case 'number':
      return label(`<input type="number" step="any" ${attributes} value="${escapeHtml(value)}">`)
    case 'text':
      return label(
        maxLength !== undefined && maxLength <= 200
          ? `<input ${attributes} maxlength="${maxLength}" value="${escapeHtml(value)}">`
          : `<textarea ${attributes}>${escapeHtml(value)}</textarea>`,
      )
    case 'json':
      return label(`<textarea ${attributes} placeholder="JSON">${escapeHtml(value)}</textarea>`)
  }
}

function textOf(value: unknown, type: Field['type']): string {
  return type === 'json' || typeof value !== 'string' ? JSON.stringify(value) : value
}

/**
 * The resume data of a form that was sent. What a control can't have, such as a text that is no number, stays as it is, for the
 * schema to refuse.
 */
export function dataOfForm(sent: URLSearchParams, schema: JsonSchema | undefined): unknown {
  const fields = fieldsOf(schema)
  if (!fields) {
    const text = sent.get(JSON_FIELD) ?? ''
    return text.trim() === '' ? undefined : parsed(text)
  }
  const members = fields.flatMap(({ name, type, required }): [string, unknown][] => {
    const text = sent.get(name)
    if (type === 'boolean') return [[name, text === 'true' || text === 'on']]
    // an empty control is a missing member
    if (text === null || text === '') return required && type === 'text' ? [[name, '']] : []
    if (type === 'number') return [[name, Number.isNaN(Number(text)) ? text : Number(text)]]
    return [[name, type === 'json' ? parsed(text) : text]]
  })
  return Object.fromEntries(members)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
