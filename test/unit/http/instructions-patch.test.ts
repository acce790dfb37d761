import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { instructionsPatch } from '../../../src/http/handlers/agents/instructions-patch.ts'
import { TempProject } from '../../support/project/temp-project.ts'

const projects: TempProject[] = []
afterEach(() => {
  for (const project of projects.splice(0)) project.remove()
})

function sources(files: Readonly<Record<string, string>>) {
  const project = new TempProject(files)
  projects.push(project)
  return { root: project.path('.'), files: Object.keys(files) }
}

describe('the patch of instructions', () => {
  it('replaces a template literal, and keeps what would end it escaped', async () => {
    const source = sources({
      'src/a.ts': 'export const a = {\n  instructions: `Be kind.\nUse \\`pay\\`.`,\n}\n',
    })
    const { file, patch } = await instructionsPatch('Be kind.\nUse `pay`.', 'Cost ${x} `y` \\ $&', source)
    expect(file).toBe('src/a.ts')
    expect(patch).toContain('--- a/src/a.ts')
    expect(patch).toContain(
      '-  instructions: `Be kind.\n-Use \\`pay\\`.`,\n+  instructions: `Cost \\${x} \\`y\\` \\\\ $&`,',
    )
  })

  it.each([
    [`'It\\'s so.'`, "It's so.", "'New'"],
    ['"Say \\"hi\\"."', 'Say "hi".', '"New"'],
    [String.raw`'a\nb'`, 'a\nb', "'New'"],
  ])('replaces the string %s', async (literal, before, after) => {
    const { patch } = await instructionsPatch(before, 'New', sources({ 'a.ts': `const a = ${literal}\n` }))
    expect(patch).toContain(`-const a = ${literal}\n+const a = ${after}`)
  })

  it('keeps the line ends of the file, and reads no file outside of the project', async () => {
    const source = sources({ 'a.ts': 'const a = `one\r\ntwo`\r\n' })
    expect((await instructionsPatch('one\ntwo', 'one\nthree', source)).patch).toContain('+three`\r\n')
    const outside = { root: path.join(source.root, 'nested'), files: ['../a.ts'] }
    expect(await instructionsPatch('one\ntwo', 'x', outside)).toMatchObject({ patch: null })
  })

  it('makes a template literal of a string that gets several lines', async () => {
    const { patch } = await instructionsPatch('Old', 'one\ntwo', sources({ 'a.ts': "const a = 'Old'\n" }))
    expect(patch).toContain('+const a = `one\n+two`')
  })

  it('is not made where the text stands twice, or in no file', async () => {
    const twice = sources({ 'a.ts': "const a = 'Old'\n", 'b.ts': 'const b = `Old`\n' })
    expect(await instructionsPatch('Old', 'New', twice)).toMatchObject({
      patch: null,
      reason: expect.stringContaining('2 times'),
    })
    expect(await instructionsPatch('Older', 'New', twice)).toMatchObject({ file: null, patch: null })
  })
})
