import { AppError } from '../../lib/errors.ts'

/** The columns of a data set that make a case. Others are not imported. */
export const COLUMNS = ['target', 'input', 'expected', 'note', 'id'] as const
export type Column = (typeof COLUMNS)[number]

/** A row of a data set. */
export interface DataRow {
  /** The line on which it begins, from 1. */
  readonly line: number
  /** Missing members are empty. */
  readonly values: Readonly<Partial<Record<Column, unknown>>>
}

/** A data set that was read from a file. */
export interface DataSet {
  readonly rows: readonly DataRow[]
  /** Whether the values are texts, which may be JSON; else they are JSON values. */
  readonly isText: boolean
  /** The columns that are not imported. */
  readonly others: readonly string[]
}

/** The error for a line of a data set. */
export function lineError(line: number, problem: string, hint?: string): AppError {
  return new AppError('invalid_input', `line ${line}: ${problem}`, hint === undefined ? {} : { hint })
}
