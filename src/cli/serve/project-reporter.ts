import type { LoadedEvent, LoadFailedEvent } from '../../config/live/load-event.ts'
import { pageOfLoadFailure } from '../../contract/explaining-page.ts'
import { formatLoadError } from '../../config/loader/errors/format-load-error.ts'
import { escapeControls } from '../../lib/escape-controls.ts'
import { docsLine } from '../print/docs-line.ts'
import type { Terminal } from '../print/terminal.ts'
import type { ProjectReporter } from '../../server/project/project-server.ts'
import { printError } from '../print/print-error.ts'
import { noLongerFitLines } from './fit-lines.ts'

/** Prints what happens to a project while `dev` serves it. `onReloaded` is called after each reload. */
export function projectReporter(terminal: Terminal, onReloaded: () => void): ProjectReporter {
  const { notePaint } = terminal
  return {
    reloaded: (event) => {
      terminal.note(reloadedLine(event, terminal))
      onReloaded()
    },
    noLongerFitting: (found) => {
      for (const line of noLongerFitLines(found)) terminal.note(notePaint.yellow(escapeControls(line)))
    },
    loadFailed: (event) => terminal.note(loadFailedLines(event, terminal)),
    rejected: (error) => printError(error, terminal),
    restartRequired: (settings) =>
      terminal.note(notePaint.yellow(`${settings.join(' and ')} changed: restart to use the new value`)),
    hint: (text) => terminal.note(notePaint.dim(text)),
  }
}

const MAX_FILES = 3

/** Formats a reload as one line: `✓ reloaded order.ts → 3 modules, 11 ms, generation 8`. */
export function reloadedLine(event: LoadedEvent, { notePaint: paint }: Pick<Terminal, 'notePaint'>): string {
  const { modules, durationMs, generation } = event
  const changed = changes(event)
  const outcome = `${modules} module${modules === 1 ? '' : 's'}, ${Math.round(durationMs)} ms, generation ${generation}`
  const verb = generation === 1 ? 'loaded' : 'reloaded'
  return `${paint.green('✓')} ${changed === '' ? verb : `${verb} ${changed}`} ${paint.dim(`→ ${outcome}`)}`
}

/** Formats a failed load: the error, its position, and the generation that stays in service. */
export function loadFailedLines(
  { error, generation }: LoadFailedEvent,
  { notePaint: paint }: Pick<Terminal, 'notePaint'>,
): string {
  const serving =
    generation === 0
      ? 'no configuration is served until this is fixed'
      : `still serving generation ${generation}`
  const lines = [formatLoadError(error.toJSON(), { colors: paint.isColorSupported })]
  if (error.hint !== undefined) lines.push(paint.dim(escapeControls(error.hint)))
  return [...lines, docsLine(pageOfLoadFailure(error), paint), paint.yellow(serving)].join('\n')
}

function changes({ files, env }: LoadedEvent): string {
  const variables = env.map(({ key, kind }) => `${kind}${key}`)
  const all = [...files, ...(variables.length > 0 ? [`.env (${variables.join(', ')})`] : [])]
  const names = all.slice(0, MAX_FILES).join(', ')
  return escapeControls(all.length > MAX_FILES ? `${names} and ${all.length - MAX_FILES} more` : names)
}
