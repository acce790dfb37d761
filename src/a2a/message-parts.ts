import type { Message, Part } from '@a2a-js/sdk'
import type { UIMessage } from 'ai'
import type { z } from 'zod'
import { ApprovalsBody, ResumeRunBody } from '../contract/endpoints/agents/approvals.ts'
import type { StepWait } from '../contract/step-wait.ts'
import type { ApprovalResponse } from '../agent/answer/waiting/resumed-answer.ts'
import { AppError } from '../lib/errors.ts'
import type { TaskRequest } from './task-format.ts'

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

type AnyRequest = { readonly [Key in keyof TaskRequest]?: TaskRequest[Key] | undefined }

/** A part with what a task waits for. */
export function requestPart({ approvals = [], waits = [] }: AnyRequest): Part {
  const value = waits.length > 0 ? { approvals, waits } : { approvals }
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
export function approvalsIn(message: Message): ApprovalResponse[] {
  const wanted = 'waits for approvals; send a data part { approvals: [{ approvalId, approved }] }'
  return dataIn(message, ApprovalsBody, wanted).approvals
}

/**
 * The data in the data part of a message for a task that waits in the middle of a tool.
 *
 * @throws AppError `invalid_input` when there is none, or a field is invalid.
 */
export function resumeIn(message: Message, waits: readonly StepWait[]): z.infer<typeof ResumeRunBody> {
  const paths = waits.map(({ path }) => path).join(', ')
  return dataIn(message, ResumeRunBody, `waits for ${paths}; send a data part { stepId, resumeData }`)
}

function dataIn<Data>({ parts }: Message, schema: z.ZodType<Data>, wanted: string): Data {
  const data = parts.find(({ content }) => content?.$case === 'data')?.content?.value
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = ['data', ...(issue?.path ?? [])].join('.')
  throw new AppError('invalid_input', `params.message: the task ${wanted} (${path}: ${issue?.message})`)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
