import { AppError, messageOf } from '../../../lib/errors.ts'

interface Problem {
  /** Completes "The database can't be used: …". */
  readonly text: string
  readonly hint: string
}

export const DAMAGE_ADVICE =
  'Stop the server and restore a backup (agentserver restore <file>), or copy what is readable: sqlite3 data.db ".recover" | sqlite3 recovered.db'

/** The primary result codes of SQLite that mean that the database can't be used: https://sqlite.org/rescode.html */
const PROBLEMS: Readonly<Record<number, Problem>> = {
  5: {
    text: 'another program keeps it locked',
    hint: 'End the transaction of the other program, such as a sqlite3 shell',
  },
  8: { text: 'it is read-only', hint: 'Make the file and its directory writable for this user' },
  10: {
    text: 'its disk failed to read or write',
    hint: 'Check the disk. The server continues by itself when it works again',
  },
  11: {
    text: 'it is damaged',
    hint: DAMAGE_ADVICE,
  },
  13: {
    text: 'the disk is full',
    hint: 'Free disk space. The server continues by itself when there is space',
  },
  14: {
    text: 'its file cannot be opened',
    hint: 'Check that the directory exists, and that this user may read and write it',
  },
  26: {
    text: 'the file is not a SQLite database',
    hint: 'Set "database" in the configuration to another file, or move this one away',
  },
}

/** The primary result code of an error of `node:sqlite` or `libsql`; `undefined` if SQLite did not report it. */
function resultCode(error: unknown): number | undefined {
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown }
  const code = errcode ?? rawCode ?? /^ConnectionFailed\(".*: (\d+)"\)$/s.exec(messageOf(error))?.[1]
  // extended result codes have the primary one in the lowest byte
  return code === undefined ? undefined : Number(code) & 0xff
}

/**
 * The error to throw instead of one of SQLite which means that the database can't be used; `undefined` for other
 * errors. `subject` is the start of its message: the caller decides whether it has a path.
 */
export function databaseError(error: unknown, subject = 'The database'): AppError | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const problem = PROBLEMS[resultCode(error) ?? 0]
  return (
    problem &&
    new AppError('unavailable', `${subject} cannot be used: ${problem.text}`, {
      cause: error,
      hint: problem.hint,
    })
  )
}
