import type { ReactNode } from 'react'
import { isObject } from '../form/json-schema.ts'
import { escapeHidden } from '../ui/escape-text.ts'
import { JsonView } from './json-view.tsx'

export interface FactsProps {
  readonly value: unknown
  /** Heading, such as `Input`. */
  readonly title: string
  /** Always has the JSON below: of the text `1` and the number, the facts are the same. Says so when there is nothing. */
  readonly isExact?: boolean
}

/** More are in the JSON below. */
const MAX_FACTS = 12
const MAX_CHARS = 400

/** A value for people: labels with their values, names before ids. The JSON below has what is left out. */
export function Facts({ value, title, isExact = false }: FactsProps) {
  if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0))
    return isExact ? <p className="text-sm text-dim">{title}: none</p> : null
  const facts = isObject(value) ? Object.entries(value).toSorted(idsLast) : [['', value] as const]
  const isComplete =
    !isExact &&
    facts.length <= MAX_FACTS &&
    facts.every(([, one]) => isFlat(one) || (isObject(one) && nameIn(one) !== undefined))
  return (
    // not a landmark: a list of cards has several with the same name
    <div role="group" aria-label={title} className="min-w-0">
      <h3 className="pb-1 text-sm text-dim">{title}</h3>
      <dl className="grid grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-0.5">
        {facts.slice(0, MAX_FACTS).map(([name, one]) => (
          <div key={name} className="contents">
            <dt className="max-w-40 text-dim [overflow-wrap:anywhere]">{escapeHidden(labelOf(name))}</dt>
            <dd className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
              <bdi>{factOf(one)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {!isComplete && (
        <details className="pt-1">
          <summary className="min-h-6 text-sm text-dim">All as JSON</summary>
          <JsonView value={value} label={`${title} as JSON`} />
        </details>
      )}
    </div>
  )
}

type Entry = readonly [name: string, value: unknown]

const ID = /(?:^|_|-)id$|[a-z]I[dD]$|^uuid$/

function idsLast([one]: Entry, [other]: Entry): number {
  return Number(ID.test(one)) - Number(ID.test(other))
}

/** `orderId` → `Order id` */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
  const [first = '', ...rest] = words.split(' ')
  return [
    first.charAt(0).toUpperCase() + first.slice(1),
    ...rest.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase())),
  ].join(' ')
}

const NAMES = ['name', 'title', 'label', 'subject', 'fullName', 'displayName']

/** The name of an object, with its other short members, as in `Ada (id emp_1)`. */
function nameIn(value: Readonly<Record<string, unknown>>): string | undefined {
  const key = NAMES.find((one) => typeof value[one] === 'string')
  return key !== undefined && Object.values(value).every((one) => isFlat(one)) ? key : undefined
}

/** Whether a value is shown as a whole on one line. */
function isFlat(value: unknown): boolean {
  if (Array.isArray(value))
    return (
      value.length < 20 &&
      value.every(
        (one) => !Array.isArray(one) && isFlat(one) && !(typeof one === 'string' && one.includes(',')),
      )
    )
  return !isObject(value) && !(typeof value === 'string' && value.length > MAX_CHARS)
}

function factOf(value: unknown): ReactNode {
  if (Array.isArray(value) && isFlat(value)) return value.map((one) => textOf(one)).join(', ')
  if (!isObject(value)) return textOf(value)
  const key = nameIn(value)
  if (key === undefined) return <span className="font-mono text-sm">{textOf(value)}</span>
  const others = Object.entries(value).filter(([name]) => name !== key)
  return (
    <>
      {textOf(value[key])}
      {others.length > 0 && (
        <span className="text-sm text-dim">
          {' '}
          {others
            .map(([name, one]) => `${escapeHidden(labelOf(name).toLowerCase())} ${textOf(one)}`)
            .join(', ')}
        </span>
      )}
    </>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return escapeHidden(text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text)
}
