import type { Message, Part } from '@a2a-js/sdk'
import type { UIMessage } from 'ai'
import { ApprovalsBody } from '../contract/endpoints/agents/approvals.ts'
import type { ApprovalResponse } from '../agent/answer/waiting/resumed-answer.ts'
import { AppError } from '../lib/errors.ts'

type UiPart = UIMessage['parts'][number]

/**
 * Converts a client's message to a UI message of the AI SDK. It keeps the id and the parts, so that the record of
 * the run is also the record of the task. Data parts become JSON text.
 *
 * @throws AppError `invalid_input` naming the part.
 */
export function toUiMessage({ messageId, parts }: Message): UIMessage {
  return { id: messageId, role: 'user', parts: parts.map((part, index) => toUiPart(part, index)) }
}

function toUiPart({ content, filename, mediaType }: Part, index: number): UiPart {
  const file = { type: 'file', ...(filename !== '' && { filename }) } as const
  switch (content?.$case) {
    case 'text':
      return { type: 'text', text: content.value }
    case 'data':
      return { type: 'text', text: JSON.stringify(content.value) }
    case 'raw': {
      const type = mediaType === '' ? 'application/octet-stream' : mediaType
      return { ...file, mediaType: type, url: `data:${type};base64,${content.value.toString('base64')}` }
    }
    case 'url': {
      const isWeb = URL.canParse(content.value) && /^https?:$/.test(new URL(content.value).protocol)
      if (!isWeb) throw invalid(index, 'url: Must be an http(s) URL')
      if (mediaType === '') throw invalid(index, 'mediaType: Required with a url')
      return { ...file, mediaType, url: content.value }
    }
    case undefined:
      throw invalid(index, 'Must have one of text, raw, url and data', ': ')
  }
}

function invalid(index: number, problem: string, separator = '.'): AppError {
  return new AppError('invalid_input', `params.message.parts[${index}]${separator}${problem}`)
}

/** The id and the parts of the last message in the input of a run. `id` is undefined for text input. */
export function lastMessageOf(input: unknown): { readonly id: string | undefined; readonly parts: Part[] } {
  if (typeof input === 'string') return { id: undefined, parts: [textPart(input)] }
  const last: unknown = Array.isArray(input) ? input.findLast((message) => isRecord(message)) : undefined
  if (!isRecord(last)) return { id: undefined, parts: [] }
  const { id, parts, content } = last
  const listed: unknown = parts ?? (typeof content === 'string' ? [{ type: 'text', text: content }] : content)
  const known = Array.isArray(listed) ? listed.filter((part) => isRecord(part)) : []
  return { id: typeof id === 'string' ? id : undefined, parts: known.flatMap((part) => toPart(part)) }
}

function toPart(part: Readonly<Record<string, unknown>>): Part[] {
  if (part['type'] === 'text' && typeof part['text'] === 'string') return [textPart(part['text'])]
  if (part['type'] !== 'file' || typeof part['url'] !== 'string') return []
  const { url, mediaType, filename } = part
  const facts = {
    metadata: undefined,
    filename: typeof filename === 'string' ? filename : '',
    mediaType: typeof mediaType === 'string' ? mediaType : '',
  }
  const [, base64] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
  return base64 === undefined
    ? [{ ...facts, content: { $case: 'url', value: url } }]
    : [{ ...facts, content: { $case: 'raw', value: Buffer.from(base64, 'base64') } }]
}

export function textPart(text: string): Part {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  }
}

/** A part with JSON data. */
export function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  }
}

/**
 * The approvals in the data part of a message, of the same form as those that the task waits for.
 *
 * @throws AppError `invalid_input` when there are none, or a field is invalid.
 */
export function approvalsIn({ parts }: Message): ApprovalResponse[] {
  const data = parts.find(({ content }) => content?.$case === 'data')?.content?.value
  const parsed = ApprovalsBody.safeParse(data)
  if (parsed.success) return parsed.data.approvals
  const [issue] = parsed.error.issues
  const path = ['data', ...(issue?.path ?? [])].join('.')
  throw new AppError(
    'invalid_input',
    `params.message: the task waits for approvals; send a data part { approvals: [{ approvalId, approved }] } (${path}: ${issue?.message})`,
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
