import { expect, it } from 'vitest'
import { escapeControls, escapeJson } from '../../../src/lib/escape-controls.ts'

const HOSTILE = '\u061c\u200e\u200fa\u001b[2J\u0007\u009b2J\u202ex\u2066y\u2028z\u007f'

it('escapes characters that control the terminal or the text direction', () => {
  expect(escapeControls(`${HOSTILE}\t\n`)).toBe(
    String.raw`\u061c\u200e\u200fa\x1b[2J\x07\x9b2J\u202ex\u2066y\u2028z\x7f` + '\t\n',
  )
})

it('escapes them in JSON without a change of the value', () => {
  const json = escapeJson(JSON.stringify({ [HOSTILE]: HOSTILE, plain: 'Grüße, 你好 👍' }))
  expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE, plain: 'Grüße, 你好 👍' })
  expect(json).toContain('Grüße, 你好 👍')
  // oxlint-disable-next-line no-control-regex -- control characters are intended
  expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
})
