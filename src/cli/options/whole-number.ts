import { AppError } from '../../lib/errors.ts'

/** The value of an option that is a whole number from 1 to `most`. */
export function wholeNumberOption(option: string, value: unknown, most = 1000): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new AppError('invalid_input', `${option} must be a whole number from 1 to ${most}`)
}
