import fs from 'node:fs'
import path from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { DATA_DIRECTORY, createPrivateFile } from '../../lib/files/private-files.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'

/** A pin as it is stored. What its executions are like is in the database. */
export const StoredPin = z.object({
  executionId: z.string(),
  workflowId: z.string(),
  workflowName: z.string(),
  stepId: z.string(),
  /** Milliseconds since the epoch. */
  pinnedAt: z.number(),
  /** The last replay. */
  replayId: z.string().optional(),
  /** A completed execution whose output is compared with that of the replay. */
  comparedId: z.string().optional(),
})
export type StoredPin = z.infer<typeof StoredPin>

/** The pins of a project, in a file of its data directory. */
export class PinFile {
  readonly #file: string
  readonly #logger: Pick<Logger, 'warn'>

  /** @param root the project's directory, absolute */
  constructor(root: string, logger: Pick<Logger, 'warn'>) {
    this.#file = path.join(root, DATA_DIRECTORY, 'pins.json')
    this.#logger = logger
  }

  /** The stored pins; none when the file is damaged, which is logged. */
  read(): StoredPin[] {
    if (!fs.existsSync(this.#file)) return []
    try {
      return z.array(StoredPin).parse(JSON.parse(fs.readFileSync(this.#file, 'utf8')))
    } catch (err) {
      this.#logger.warn({ err }, `${this.#file} can't be read: no execution is pinned`)
      return []
    }
  }

  write(pins: readonly StoredPin[]): void {
    createPrivateFile(this.#file)
    replaceFile({ file: this.#file, bytes: Buffer.from(JSON.stringify(pins)), mode: 0o600 })
  }
}
