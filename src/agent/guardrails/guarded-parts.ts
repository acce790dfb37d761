import type { ModelPart } from '../models/traced-messages.ts'
import { HeldText } from './held-text.ts'
import type { OutputCheck } from './output-check.ts'

type Reader = ReadableStreamDefaultReader<ModelPart>
type Read = Awaited<ReturnType<Reader['read']>>

/** Parts that are not shown to callers of an agent with output guardrails. */
const isHidden = ({ type }: ModelPart) => type.startsWith('reasoning') || type === 'raw'
/** Parts that may come in the middle of a text. */
const BESIDE_TEXT = new Set(['response-metadata', 'source', 'stream-start', 'error'])

/** The end of one text and the start of the next. */
const BOUNDARY = new Set(['text-start', 'text-end'])
const CALLS = new Set(['tool-call', 'tool-input-start'])

/** The parts of an answer's stream. Text is held back until the guardrails have seen it. */
export async function* guardedTextParts(reader: Reader, check: OutputCheck): AsyncGenerator<ModelPart> {
  const held = new HeldText(check)
  let id = ''
  /** Ends and starts of texts while text before them is held back. */
  const boundary: ModelPart[] = []
  const pass = async function* (text: Promise<string>): AsyncGenerator<ModelPart> {
    const delta = await text
    if (delta !== '') yield { type: 'text-delta', id, delta }
  }
  let reading = readNext(reader)
  for (;;) {
    if (held.isDue && !(held.isSlow && (await isReady(reading)))) {
      yield* pass(held.pass())
      continue
    }
    const read = await before(reading, held.remainingMs)
    if (read === undefined) {
      yield* pass(held.passAll())
      continue
    }
    const { done, value: part } = read
    if (done) break
    reading = readNext(reader)
    if (isHidden(part)) continue
    if (part.type === 'text-delta') {
      // the text continues in another part: what is held back is sent with it
      yield* boundary.splice(0)
      id = String(part['id'])
      held.add(String(part['delta']))
      continue
    }
    if (BOUNDARY.has(part.type)) {
      yield* pass(held.passAll())
      // the rest of a match may come in the next part
      if (held.hasText || boundary.length > 0) boundary.push(part)
      else yield part
      continue
    }
    if (!BESIDE_TEXT.has(part.type)) {
      yield* pass(CALLS.has(part.type) ? held.endBeforeCall() : held.end())
      yield* boundary.splice(0)
    }
    yield part
  }
  yield* pass(held.end())
  yield* boundary
}

/** Reads a part. Its failure is thrown where it is awaited, which may be later, or never. */
function readNext(reader: Reader): Promise<Read> {
  const reading = reader.read()
  reading.catch(() => undefined)
  return reading
}

/** Whether a part is here already: it is checked together with the text before it. */
function isReady(reading: Promise<Read>): Promise<boolean> {
  const soon = new Promise<boolean>((resolve) => setImmediate(resolve, false))
  return Promise.race([reading.then(() => true), soon])
}

/** The next part; `undefined` when it does not come within `ms` milliseconds. */
async function before(reading: Promise<Read>, ms: number | undefined): Promise<Read | undefined> {
  if (ms === undefined) return reading
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([reading, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The parts of an object's stream: the text comes at its end, when the guardrails have seen the object. */
export async function* guardedObjectParts(reader: Reader, check: OutputCheck): AsyncGenerator<ModelPart> {
  const parts: ModelPart[] = []
  let text = ''
  for (;;) {
    const { done, value: part } = await reader.read()
    if (done) break
    if (part.type === 'text-delta') text += String(part['delta'])
    if (!isHidden(part)) parts.push(part)
  }
  if (parts.some(({ type }) => type === 'error')) return yield* parts.filter(({ type }) => !isText(type))
  const hasCalls = parts.some(({ type }) => type === 'tool-call')
  let rest = text === '' ? '' : await (hasCalls ? textBeforeCall(check, text) : check.object(text))
  for (const part of parts) {
    if (part.type !== 'text-delta') yield part
    else if (rest !== '') yield { ...part, delta: rest }
    if (part.type === 'text-delta') rest = ''
  }
}

async function textBeforeCall(check: OutputCheck, text: string): Promise<string> {
  return check.redactEnd(await check.text(text))
}

function isText(type: string): boolean {
  return type.startsWith('text-')
}
