import { outputsOf, textOf } from './agent-project.ts'

/** A part of `/stream`, or of `/chat` as the AI SDK's UI messages have it. */
interface Part {
  readonly type: string
  readonly text?: string
  readonly delta?: string
  readonly toolCallId?: string
  readonly output?: unknown
}

const RESULTS: ReadonlySet<string> = new Set(['tool-result', 'tool-output-available'])

/** What a reader of a stream got. */
export interface ReadStream {
  /** The stream had its last part. */
  readonly isFinished: boolean
  /** What was not as it is recorded: text and results of tools that differ, come twice, or are missing at the end. */
  readonly wrong: readonly string[]
}

/**
 * Reads the stream of an answer from its start, until it ends or its server is killed.
 *
 * @param leave called after each part: the reader disconnects when it returns true
 */
export async function readStream(
  run: string,
  response: Response,
  leave: (parts: number) => boolean = () => false,
): Promise<ReadStream> {
  const outputs = outputsOf(run)
  const seen = new Set<string>()
  const wrong: string[] = []
  let text = ''
  let count = 0
  let isFinished = false
  try {
    for await (const part of partsOf(response)) {
      if (part.type === 'text-delta') text += part.text ?? part.delta ?? ''
      if (part.type === 'finish') isFinished = true
      if (RESULTS.has(part.type)) {
        const tool = part.toolCallId?.replace('call-', '') ?? ''
        if (seen.has(tool)) wrong.push(`the result of ${tool} twice`)
        if (part.output !== outputs.get(tool))
          wrong.push(`the result of ${tool}: ${JSON.stringify(part.output)}`)
        seen.add(tool)
      }
      if (leave(++count)) break
    }
  } catch {
    // killed
  }
  if (isFinished ? text !== textOf(run) : !textOf(run).startsWith(text))
    wrong.push(`the text ${JSON.stringify(text)}`)
  if (isFinished) for (const tool of outputs.keys()) if (!seen.has(tool)) wrong.push(`no result of ${tool}`)
  return { isFinished, wrong: wrong.map((one) => `${run}: the stream has ${one}`) }
}

async function* partsOf(response: Response): AsyncGenerator<Part> {
  let buffered = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${buffered}${chunk}`.split('\n')
    buffered = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith('data: {')) yield JSON.parse(line.slice('data: '.length)) as Part
  }
}
