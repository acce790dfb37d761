import { describe, expect, it } from 'vitest'
import { isExponential } from '../../../../src/agent/guardrails/patterns/exponential-pattern.ts'

const names = Array.from({ length: 2000 }, (_, index) => `name${index}`).join('|')

describe('isExponential', () => {
  it.each([
    /(a+)+$/,
    /(a*)*b/,
    /(a|a)*$/,
    /(a|aa)+$/,
    /(a|b|ab)*c/,
    /(a?b?)*c/,
    /(a*b*)*c/,
    /(x+x+)+y/,
    /(\w|\d)+-$/,
    /(?:\w+\s?)*$/,
    /(?:\r\n|\r|\n)+x/,
    /(.*a){20,}/,
    /(?:\d{1,20}-?){1,30}/,
    /^(?:A|a)+$/i,
    /(?:é|\p{L})+x/u,
    new RegExp('(?:[[a-z]--[b]]|a)+x', 'v'),
    /(?=(a+)+$)x/,
    /(?<!(a|a)+x)y/,
    /([a-zA-Z0-9])(([.-]|_+)?([a-zA-Z0-9]+))*(@){1}/,
  ])('finds a repeated part that matches the same text in several ways: %s', (expression) => {
    expect(isExponential(expression)).toBe(true)
  })

  it.each([
    /ACME-\d+/,
    /(?:ab)+c/,
    /(?:a|b)*c/,
    /(x?)*y/,
    /(?:\s|\w)+x/,
    /(?:\d{4}[ -]?){4}/,
    /(?:[0-9a-f]{16}:?)+/,
    /\b(?:\d[ -]*?){13,16}\b/,
    /[A-Z]{2}\d{2}(?: ?\w{4}){2,7}/,
    /"(?:[^"\\]|\\.)*"/,
    /eyJ[\w-]+\.[\w-]+\.[\w-]+/,
    /-----BEGIN [A-Z ]+-----[^]*?-----END/,
    /(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)/,
    /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u,
    /(\d)x\1/,
    /(?<!-)a{2,3}(?=b)/,
    new RegExp(`(?: (?:${names}))+`),
  ])('accepts other expressions: %s', (expression) => {
    expect(isExponential(expression)).toBe(false)
  })
})
