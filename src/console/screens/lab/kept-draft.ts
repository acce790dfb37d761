import { VERSION } from './lab-draft.ts'
import type { LabDraft } from './lab-draft.ts'

const PREFIX = 'agentserver.lab.'

/** The draft of this tab for an address, if it was edited before. */
export function keptDraft(address: string): LabDraft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(PREFIX + address) ?? 'null') as Partial<LabDraft> | null
    return draft?.version === VERSION ? (draft as LabDraft) : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft until the tab is closed. A draft that is too large is not kept. */
export function keepDraft(address: string, draft: LabDraft): void {
  try {
    sessionStorage.setItem(PREFIX + address, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(PREFIX + address)
  }
}

export function dropDraft(address: string): void {
  sessionStorage.removeItem(PREFIX + address)
}
