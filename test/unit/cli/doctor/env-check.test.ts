import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkEnvFiles } from '../../../../src/cli/doctor/env-check.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

let project: TempProject
beforeEach(() => {
  project = new TempProject()
})
afterEach(() => project.remove())

test('invalid lines of .env are a warning; a quoted value may span lines', () => {
  project.write({
    '.env':
      "\uFEFF# comment\r\n\r\nA=1\r\nB=\"one\r\nnot a variable\r\nlast\"\r\nodd line\r\nexport C='x'\r\nD=it's\r\n=1\r\n",
  })
  expect(checkEnvFiles(project.root, 'development')).toMatchObject([
    { status: 'warning', message: '.env: invalid syntax on line 7, 10' },
  ])
})

test('a directory in place of an .env file is an error', () => {
  project.write({ '.env.development/file': '' })
  expect(checkEnvFiles(project.root, 'development')).toMatchObject([
    { status: 'error', message: '.env.development is not a file' },
  ])
})
