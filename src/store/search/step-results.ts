import type { StepChange } from '../execution-store.ts'
import { MAX_TEXT_CHARS } from './search-store.ts'

/** The results in the changes of steps, which are a JSON array. Damaged ones have none. */
export function stepResults(steps: string): string[] {
  if (steps === '[]') return []
  try {
    const changes = JSON.parse(steps) as readonly Partial<StepChange>[]
    return changes
      .flatMap(({ output, error, suspendData, resumeData }) => [output, error, suspendData, resumeData])
      .filter((text) => typeof text === 'string')
      .map((text) => text.slice(0, MAX_TEXT_CHARS))
  } catch {
    // a damaged record does not stop the index
    return []
  }
}
