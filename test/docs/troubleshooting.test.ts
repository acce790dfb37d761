import { describe, expect, test } from 'vitest'
import { readText } from './pages.ts'
import { sourceText } from './reference/interface-members.ts'
import { messageTemplates } from './reference/message-templates.ts'

const page = readText('docs/troubleshooting.md')
const messages = [...page.matchAll(/^```\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
)
const templates = messageTemplates(sourceText())

/** Whether the code has a template for a message, and for each part of it that is more than a value. */
function isInCode(message: string): boolean {
  return templates.some((template) => {
    const match = template.exec(message)
    return match !== null && match.slice(1).every((part) => isMade(part))
  })
}

/** Whether a part of a message is a value, a message, or a value before a message. */
function isMade(part: string): boolean {
  if (isValue(part) || isInCode(part)) return true
  const starts = [...part.matchAll(/\b(?=\W)/g)].map(({ index }) => index)
  return starts.some((at) => isValue(part.slice(0, at)) && isInCode(part.slice(at)))
}

/** A name, a path, an address, a command, or a list of names: four words at most. */
function isValue(part: string): boolean {
  return part.split(' ').length <= 4 || /^[\w-]+(, [\w-]+)*$/.test(part)
}

describe('the troubleshooting page', () => {
  test('has at least 15 messages', () => {
    expect(messages.length).toBeGreaterThanOrEqual(15)
  })

  test.each(messages)('shows a message that the code has: %s', (message) => {
    expect(isInCode(message)).toBe(true)
  })
})
