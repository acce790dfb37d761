import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { AppError, messageOf } from '../../lib/errors.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import { callHash } from './call-record.ts'
import { CallOutcome } from './call-outcome.ts'

/** The folder of the recordings, from the project's directory. */
export const RECORDINGS = 'cases/.recordings'

/** What a model answered to one call of a case. */
export const Recording = z.strictObject({
  agent: z.string(),
  /** Provider and id of the model: `openai/gpt-5-mini`. */
  model: z.string(),
  call: z.looseObject({}),
  /** One outcome for each time that the case made this call, in order. */
  outcomes: z.array(CallOutcome).min(1),
})
export type Recording = z.infer<typeof Recording>

/** A recording, and the path of its file from the project's directory. */
export interface RecordingFile {
  readonly file: string
  readonly recording: Recording
}

const FILE = /\.[0-9a-f]{12}\.json$/

/** The folder with the recordings of a case of an eval, from the project's directory. */
export function recordingsFolder(evalId: string, caseId: string): string {
  const parts = caseId
    .replace(/^cases\//, '')
    .replace(/\.json$/, '')
    .split('/')
  const own = parts.length > 1 && parts[0] === evalId && !caseId.startsWith('cases/') ? parts.slice(1) : parts
  return [RECORDINGS, evalId, ...own].map((part, index) => (index === 0 ? part : fileName(part))).join('/')
}

/** The name of the file for a call: agent, model, and a hash of prompt, tools and settings. */
export function recordingName({ agent, model, call }: Pick<Recording, 'agent' | 'model' | 'call'>): string {
  return `${fileName(agent)}.${fileName(model)}.${callHash(call)}.json`
}

/**
 * Reads the recordings in a folder.
 *
 * @throws AppError `invalid_config` naming the file that is not a recording.
 */
export function readRecordings(root: string, folder: string): readonly RecordingFile[] {
  return filesIn(root, folder).map((file) => ({ file, recording: readRecording(root, file) }))
}

function readRecording(root: string, file: string): Recording {
  const invalid = (problem: string) =>
    new AppError('invalid_config', `${file} ${problem}`, {
      hint: 'Record it again: agentserver eval --record',
    })
  let value: unknown
  try {
    value = JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'))
  } catch (error) {
    throw invalid(`is not a recording: ${messageOf(error)}`)
  }
  const parsed = Recording.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(`is not a recording: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }
  const name = recordingName(parsed.data)
  if (name === path.posix.basename(file)) return parsed.data
  const { agent, model } = parsed.data
  throw invalid(
    `was renamed or changed: it records a call of agent "${agent}" to ${model}, which belongs in ${name}`,
  )
}

/** Writes a recording, unless the file has it already. */
export function writeRecording(root: string, { file, recording }: RecordingFile): void {
  const { agent, call, model, outcomes } = recording
  // sorted like what they contain
  const text = `${JSON.stringify({ agent, call, model, outcomes }, null, 2)}\n`
  const absolute = path.join(root, file)
  if (fs.existsSync(absolute) && fs.readFileSync(absolute, 'utf8') === text) return
  fs.mkdirSync(path.dirname(absolute), { recursive: true })
  replaceFile({ file: absolute, bytes: Buffer.from(text), mode: 0o644 })
}

/** Deletes recordings, and the folders that are empty then. */
export function deleteRecordings(root: string, files: readonly string[]): void {
  for (const file of files) {
    fs.rmSync(path.join(root, file))
    let folder = path.posix.dirname(file)
    while (folder.startsWith(RECORDINGS) && fs.readdirSync(path.join(root, folder)).length === 0) {
      fs.rmdirSync(path.join(root, folder))
      folder = path.posix.dirname(folder)
    }
  }
}

/** The files of recordings in a folder, sorted. */
export function filesIn(root: string, folder: string, { recursive = false } = {}): readonly string[] {
  const absolute = path.join(root, folder)
  if (!fs.existsSync(absolute)) return []
  return fs
    .readdirSync(absolute, { recursive, encoding: 'utf8' })
    .filter((name) => FILE.test(name))
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .toSorted()
}

/** Without characters that a file system may refuse. */
function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').replace(/^\.+$/, '-')
}
