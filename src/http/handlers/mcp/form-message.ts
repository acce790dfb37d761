import type { Suspension } from '../../../contract/event.ts'

/** The text above the form for resume data. */
export function formMessage(name: string, { reason, data }: Pick<Suspension, 'reason' | 'data'>): string {
  const title = reason === '' ? name : `${name}: ${reason}`
  return data === undefined || data === null ? title : `${title}\n\n${JSON.stringify(data, null, 2)}`
}
