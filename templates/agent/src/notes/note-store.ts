import fs from 'node:fs'
import path from 'node:path'
import { persist } from 'agentserver'
import Database from 'libsql'

export interface Note {
  readonly text: string
  /** The time it was added, in ISO 8601. */
  readonly at: string
}

/** Adds a note. An existing text is not added again, so a step that runs twice adds one note. */
export function addNote(text: string): Note {
  const notes = database()
  const now = new Date().toISOString()
  notes
    .prepare('INSERT INTO notes (text, folded, at) VALUES (?, ?, ?) ON CONFLICT (text) DO NOTHING')
    .run(text, text.toLowerCase(), now)
  const { at } = notes.prepare('SELECT at FROM notes WHERE text = ?').get(text) as Note
  return { text, at }
}

/** The notes that contain a text, case-insensitive, newest first. */
export function findNotes(text: string, limit = 20): Note[] {
  return database()
    .prepare('SELECT text, at FROM notes WHERE instr(folded, ?) > 0 ORDER BY id DESC LIMIT ?')
    .all(text.toLowerCase(), limit) as Note[]
}

/** Whether there was a note with this text, which is removed. */
export function removeNote(text: string): boolean {
  return database().prepare('DELETE FROM notes WHERE text = ?').run(text).changes > 0
}

/** Opened with the first note, kept open across reloads, closed when the server stops. */
function database(): Database.Database {
  const file = process.env['NOTES_FILE'] ?? '.agentserver/notes.db'
  return persist('notes', () => open(file), { deps: [file], dispose: (old) => void old.close() })
}

function open(file: string): Database.Database {
  if (file !== ':memory:') fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
  const notes = new Database(file)
  notes.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000')
  // lower() of SQLite supports only ASCII, so the text is also stored in lower case
  notes.exec(
    'CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, at TEXT NOT NULL)',
  )
  return notes
}
