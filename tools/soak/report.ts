import { median } from '../bench/report.ts'
import { EXIT } from '../chaos/verdict.ts'
import { FIGURES } from './figures.ts'
import type { FigureGrowth } from './growth.ts'
import type { SoakResult } from './soak.ts'

/** Failed requests that are printed. */
const SHOWN = 10

/** Width of a curve, in characters. */
const WIDTH = 32

const BLOCKS = '▁▂▃▄▅▆▇█'

/** The exit code: what grew or failed counts more than a soak that was too short to say so. */
export function exitCodeOf({ growth, failures }: Pick<SoakResult, 'growth' | 'failures'>): number {
  if (failures.length > 0 || growth?.some(({ isFlat }) => !isFlat)) return EXIT.violated
  return growth ? EXIT.held : EXIT.undecided
}

/** A line for each figure, and the verdict. */
export function reportOf(result: SoakResult): string {
  const { growth = [], failures, ended, saves, deploys, interrupted, durationMs, kept } = result
  const grown = growth.filter(({ isFlat }) => !isFlat)
  const lines = [
    ...table(growth),
    '',
    `${(durationMs / 60_000).toFixed(1)} minutes, ${ended} executions and answers, ${saves} saves, ${deploys} deploys`,
    ...(interrupted > 0 ? [`${interrupted} requests were interrupted by a deploy, and made again`] : []),
    ...failures.slice(0, SHOWN).map((failure) => `failed: ${failure}`),
    ...(failures.length > SHOWN ? [`… and ${failures.length - SHOWN} more`] : []),
    verdictOf(result, grown),
    ...(kept === undefined ? [] : [`Samples, database and logs: ${kept}`]),
  ]
  return `${lines.join('\n')}\n`
}

function verdictOf({ growth, failures }: SoakResult, grown: readonly FigureGrowth[]): string {
  if (grown.length > 0) return `Grew: ${grown.map(({ figure }) => FIGURES[figure].name).join(', ')}`
  if (failures.length > 0) return `${failures.length} requests failed`
  return growth ? 'Everything is flat.' : 'Undecided: too few samples. Let it run for longer'
}

function table(growth: readonly FigureGrowth[]): string[] {
  const rows = growth.map(({ figure, before, after, allowed, isFlat, curve }) => {
    const { name, unit } = FIGURES[figure]
    return [
      name,
      `${rounded(before)} → ${rounded(after)} ${unit}`.trim(),
      `≤ +${rounded(allowed)} ${unit}`.trim(),
      isFlat ? 'flat' : 'GREW',
      sparkline(curve),
    ]
  })
  if (rows.length === 0) return []
  const all = [['figure', '2nd → last quarter', 'limit', '', 'curve'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A line of blocks between the least and the largest value: the median of as many parts as it is wide. */
export function sparkline(values: readonly number[], width = WIDTH): string {
  const count = Math.min(width, values.length)
  const parts = Array.from({ length: count }, (_, part) =>
    median(
      values.slice(
        Math.floor((part * values.length) / count),
        Math.floor(((part + 1) * values.length) / count),
      ),
    ),
  )
  const least = Math.min(...parts)
  const range = Math.max(...parts) - least
  return parts
    .map((value) => BLOCKS[range === 0 ? 0 : Math.round(((value - least) / range) * (BLOCKS.length - 1))])
    .join('')
}

function rounded(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1)
}
