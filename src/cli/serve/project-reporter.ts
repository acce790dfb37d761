import type { ProjectReporter } from '../../server/project/project-server.ts'
import { printError } from '../print/print-error.ts'
import { loadFailedLines, reloadedLine } from '../print/reload-lines.ts'
import { escapeControls } from '../../lib/escape-controls.ts'
import { noLongerFitLines } from './fit-lines.ts'
import type { Terminal } from '../print/terminal.ts'

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
