import { expect, test } from 'vitest'
import { isSecret, isSecretName } from '../../../../src/lib/redact/secret-name.ts'

test.each(
  `
    authorization Authorization proxy-authorization x-api-key apiKey api_key APIKEY
    stripeApiKey STRIPE_API_KEY stripe.api-key OpenAIAPIKey client_secret clientSecret
    accessToken access_token refresh-token token TOKEN idToken token2 x-auth-token
    password userPassword password_hash dbpassword passwd pwd passphrase secrets
    secretKey SERVICE_CONSOLE_ACCESS_KEY x-console-access-key private_key set-cookie jwt
  `
    .trim()
    .split(/\s+/),
)('%s is a sensitive name', (name) => expect(isSecretName(name)).toBe(true))

test.each(
  `
    maxTokens inputTokens totalTokens prompt_tokens gen_ai.usage.input_tokens tokens
  `
    .trim()
    .split(/\s+/),
)('%s is sensitive only with a value other than a count', (name) => {
  expect(isSecret(name, 128)).toBe(false)
  expect(isSecret(name, '128')).toBe(false)
  expect(isSecret(name, { total: 3, cached: 1, text: undefined })).toBe(false)
  expect(isSecret(name, 'abc-def')).toBe(true)
})

test.each(
  `
    tokenCount token_usage tokensPerSecond inputTokenDetails tokenType passwordLength
    author authored key publicKey keyboard secretary tokenizer monkey pass id
  `
    .trim()
    .split(/\s+/),
)('%s is not a sensitive name', (name) => expect(isSecretName(name)).toBe(false))

test('a number under "password" is a secret, a boolean is not', () => {
  expect(isSecret('password', 1234)).toBe(true)
  expect(isSecret('password', true)).toBe(false)
  expect(isSecret('token', null)).toBe(false)
})
