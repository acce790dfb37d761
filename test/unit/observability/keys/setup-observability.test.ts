import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'dotenv'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SetupObservabilityOptions } from '../../../../src/observability/keys/setup-observability.ts'
import { setupObservability } from '../../../../src/observability/keys/setup-observability.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { TypescriptProcess } from '../../../support/process/typescript-process.ts'

const POSIX = process.platform !== 'win32'
const KEYS = { publicKey: 'pk-1', secretKey: 'sk-1' }

let project: TempProject
beforeEach(() => {
  project = new TempProject()
})
afterEach(() => project.remove())

function setup(options: Partial<SetupObservabilityOptions> = {}) {
  return setupObservability({ root: project.root, ...KEYS, ...options })
}

function modeOf(name: string): number {
  return fs.statSync(project.path(name)).mode & 0o777
}

describe('setupObservability', () => {
  test('creates a .env that only its owner can read', async () => {
    const result = await setup({ endpoint: 'https://otel.example/v1?team=a&b=%20' })
    expect(result).toEqual({
      envFile: '.env',
      keys: ['SERVICE_PUBLIC_KEY', 'SERVICE_SECRET_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      restartRequired: false,
    })
    expect(parse(project.read('.env'))).toEqual({
      SERVICE_PUBLIC_KEY: 'pk-1',
      SERVICE_SECRET_KEY: 'sk-1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/v1?team=a&b=%20',
    })
    expect(modeOf('.env')).toBe(POSIX ? 0o600 : modeOf('.env'))
  })

  test('keeps the endpoint when none is passed', async () => {
    project.write({ '.env': 'OTEL_EXPORTER_OTLP_ENDPOINT=http://a\n' })
    expect(await setup()).toMatchObject({ keys: ['SERVICE_PUBLIC_KEY', 'SERVICE_SECRET_KEY'] })
    expect(parse(project.read('.env'))).toMatchObject({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' })
  })

  test.runIf(POSIX)('keeps the permissions of the file', async () => {
    project.write({ '.env': 'A=1\n' })
    fs.chmodSync(project.path('.env'), 0o640)
    await setup()
    expect(modeOf('.env')).toBe(0o640)
  })

  test('creates no other file except its lock file', async () => {
    project.write({ '.env.agentserver-draft': 'left by a process that was killed' })
    await setup()
    expect(fs.readdirSync(project.root)).toEqual(['.agentserver', '.env'])
    expect(fs.readdirSync(project.path('.agentserver'))).toEqual(['env-lock'])
  })

  test.runIf(POSIX)('writes to the target of a symbolic link within the project', async () => {
    project.write({ 'config/shared.env': 'A=1\n' })
    fs.symlinkSync('config/shared.env', project.path('.env'))
    await setup()
    expect(fs.lstatSync(project.path('.env')).isSymbolicLink()).toBe(true)
    expect(parse(project.read('config/shared.env'))).toMatchObject({ A: '1', SERVICE_SECRET_KEY: 'sk-1' })
  })

  test('serializes concurrent writes', async () => {
    project.write({ '.env': '# mine\nA=1\n' })
    const values = Array.from({ length: 20 }, (_, index) => `value-${index}`)
    await Promise.all(values.map((value) => setup({ publicKey: value, secretKey: value })))
    const { SERVICE_PUBLIC_KEY: publicKey, SERVICE_SECRET_KEY: secretKey } = parse(project.read('.env'))
    expect(values).toContain(publicKey)
    expect(secretKey).toBe(publicKey)
    expect(project.read('.env').split('\n')).toHaveLength(5)
  })
})

describe('an unsafe value', () => {
  const HOSTILE: Readonly<Record<string, string>> = {
    'a newline': 'a\nEVIL=1',
    'a carriage return': 'a\rEVIL=1',
    'a line separator': 'a\u2028EVIL=1',
    'a paragraph separator': 'a\u2029EVIL=1',
    'a next line': 'a\u0085EVIL=1',
    'a NUL': 'a\0',
    'a double quote': 'a"b',
    'a single quote': "a'b",
    'a backtick': 'a`id`',
    'a backslash': 'a\\nEVIL=1',
    'a command': '$(id)',
    'a variable': '${HOME}',
    'a comment': 'a#b',
    'a blank': 'a b',
    'a tab': 'a\tb',
    'an escape': 'a\u001B[2J',
    'another script': 'ключ',
    nothing: '',
    'too much': 'a'.repeat(513),
  }

  test.each(Object.entries(HOSTILE))('is refused: %s', async (_, value) => {
    const before = '# keep\r\nSERVICE_SECRET_KEY=old\r\n'
    project.write({ '.env': before })
    for (const wanted of [
      { publicKey: value },
      { secretKey: value },
      { endpoint: `https://a/${value || '#'}` },
    ]) {
      const [name = ''] = Object.keys(wanted)
      const refused = await setup(wanted).catch((error: unknown) => error)
      expect(refused).toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(`${name}: Must be`),
      })
      expect((refused as Error).message).not.toContain(value || 'old')
      expect(project.read('.env')).toBe(before)
    }
  })

  test.each(['ftp://a', 'file:///etc/passwd', 'javascript:alert(1)', 'a.example', '//a', 'http://'])(
    'is refused as an endpoint: %s',
    async (endpoint) => {
      await expect(setup({ endpoint })).rejects.toMatchObject({
        code: 'invalid_input',
        message: 'endpoint: Must be an http(s) URL',
      })
      expect(fs.existsSync(project.path('.env'))).toBe(false)
    },
  )

  test('may contain all other visible characters, up to 512', async () => {
    const value = '!%&()*+,-./:;<=>?@[]^_{|}~aZ09'.padEnd(512, 'x')
    await setup({ publicKey: value, secretKey: value })
    expect(parse(project.read('.env'))).toEqual({ SERVICE_PUBLIC_KEY: value, SERVICE_SECRET_KEY: value })
  })
})

describe('a .env that is not a regular file of the project', () => {
  const refusal = async () => {
    const error: unknown = await setup().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'conflict' })
    return (error as Error).message
  }

  test('is refused when it is a directory', async () => {
    project.write({ '.env/file': '' })
    expect(await refusal()).toContain('.env is a directory')
  })

  test.runIf(POSIX)('is refused when it is a link to outside the project', async () => {
    const outside = new TempProject({ 'victim.env': 'A=1\n' })
    try {
      fs.symlinkSync(outside.path('victim.env'), project.path('.env'))
      expect(await refusal()).toContain('outside the project')
      expect(outside.read('victim.env')).toBe('A=1\n')
    } finally {
      outside.remove()
    }
  })

  test.runIf(POSIX)('is refused when its directory is a link to outside the project', async () => {
    const outside = new TempProject({ 'victim.env': 'A=1\n' })
    try {
      fs.symlinkSync(outside.root, project.path('linked'))
      fs.symlinkSync('linked/victim.env', project.path('.env'))
      expect(await refusal()).toContain('outside the project')
      expect(outside.read('victim.env')).toBe('A=1\n')
    } finally {
      outside.remove()
    }
  })

  test.runIf(POSIX)('is refused when it is a dangling link', async () => {
    fs.symlinkSync(path.join(project.root, 'nowhere'), project.path('.env'))
    expect(await refusal()).toContain('a symbolic link to a file that does not exist')
    expect(fs.existsSync(project.path('nowhere'))).toBe(false)
  })

  test.runIf(POSIX)('is refused immediately when it is a pipe', async () => {
    execFileSync('mkfifo', [project.path('.env')])
    expect(await refusal()).toContain('.env is not a regular file')
  })

  test.runIf(POSIX)('is refused when it is read-only', async () => {
    project.write({ '.env': 'A=1\n' })
    fs.chmodSync(project.path('.env'), 0o444)
    expect(await refusal()).toContain('.env is read-only')
    expect(project.read('.env')).toBe('A=1\n')
  })
})

describe('an interrupted write', () => {
  test.runIf(POSIX)('keeps the old file when the disk is full', () => {
    const before = `# ${'x'.repeat(4000)}\nSERVICE_SECRET_KEY=old\n`
    project.write({ '.env': before })
    const loader = new URL('../../../support/process/run-typescript.mjs', import.meta.url).href
    const script = fileURLToPath(new URL('../../../support/process/write-env-once.ts', import.meta.url))
    // limits files to 2 blocks of 512 or 1024 bytes
    const command = 'ulimit -f 2 && exec "$0" --import "$1" "$2" "$3"'
    const printed = execFileSync('sh', ['-c', command, process.execPath, loader, script, project.root])
    expect(printed.toString()).toBe('.env could not be written (EFBIG)\n')
    expect(project.read('.env')).toBe(before)
    expect(fs.readdirSync(project.root).toSorted()).toEqual(['.agentserver', '.env'])
  })

  test('leaves the old or the new file when the process is killed', async () => {
    const before =
      '\uFEFF# mine\r\nA=1\r\nSERVICE_PUBLIC_KEY=first\r\nTEXT="SERVICE_SECRET_KEY=inside\r\n"\r\n'
    project.write({ '.env': before })
    const writers = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => {
      return new TypescriptProcess('write-env-forever.ts', project.root, letter)
    })
    try {
      await Promise.all(writers.map((writer) => writer.printed('writing')))
      for (const [index, writer] of writers.entries()) {
        await new Promise((resolve) => setTimeout(resolve, 20 + index * 7))
        await writer.kill()
        const text = project.read('.env')
        const [, publicKey, secretKey] =
          /^SERVICE_PUBLIC_KEY=(\w+)\r\n[^]*^SERVICE_SECRET_KEY=(\w+)\r\n$/m.exec(text) ?? []
        expect(publicKey).toMatch(/^([a-f])\1*$/)
        expect(secretKey).toBe(publicKey)
        expect(text).toBe(`${before.replace('first', publicKey ?? '')}SERVICE_SECRET_KEY=${secretKey}\r\n`)
      }
    } finally {
      await Promise.all(writers.map((writer) => writer.kill()))
    }
    await setup()
    expect(parse(project.read('.env'))).toMatchObject({
      A: '1',
      SERVICE_PUBLIC_KEY: 'pk-1',
      SERVICE_SECRET_KEY: 'sk-1',
    })
  })
})
