import fs from 'node:fs'
import path from 'node:path'

export interface Note {
  readonly text: string
  /** When it was added, as an ISO 8601 instant. */
  readonly at: string
}

// One JSON object a line: a note is added without touching the others. Reading and adding are synchronous, so that
// of two that add the same at once, one finds the other's.

/** Adds a note. A text that is there is not added again: a step that runs twice leaves one note. */
export function addNote(text: string): Note {
  const known = readNotes().find((note) => note.text === text)
  if (known) return known
  const note = { text, at: new Date().toISOString() }
  const file = noteFile()
  fs.mkdirSync(path.dirname(file), { recursive: true })
  // The line break comes first too: a line that a crash has cut short stays alone.
  fs.appendFileSync(file, `\n${JSON.stringify(note)}\n`)
  return note
}

/** The notes that contain a text, in any case, the newest first. */
export function findNotes(text: string): Note[] {
  const wanted = text.toLowerCase()
  return readNotes()
    .filter((note) => note.text.toLowerCase().includes(wanted))
    .toReversed()
}

function readNotes(): Note[] {
  const file = noteFile()
  if (!fs.existsSync(file)) return []
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => parseLine(line))
}

/** Nothing, where the line is no note: the others can still be read. */
function parseLine(line: string): Note[] {
  if (line.trim() === '') return []
  try {
    const { text, at } = JSON.parse(line) as Partial<Note>
    return typeof text === 'string' && typeof at === 'string' ? [{ text, at }] : []
  } catch {
    return []
  }
}

function noteFile(): string {
  return path.resolve(process.env['NOTES_FILE'] ?? '.agentserver/notes.jsonl')
}
