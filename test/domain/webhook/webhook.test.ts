import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import {
  createWebhookSecret,
  findWebhookUrlProblem,
  formatWebhookBody,
  signWebhook,
} from '../../../src/domain/webhook/webhook.ts'

test('a signature is one that Standard Webhooks takes, and no other body has it', () => {
  const secret = createWebhookSecret(randomBytes)
  const message = {
    message_id: 'msg_1',
    type: 'session.ended',
    at: '2026-11-20T00:00:00.000Z',
    data: { a: 'ü' },
  } as const
  const body = formatWebhookBody(message)
  const headers = signWebhook(secret, message, body, Date.now())
  assert.deepEqual(new Verifier(secret).verify(body, headers), {
    type: 'session.ended',
    timestamp: message.at,
    data: { a: 'ü' },
  })
  assert.throws(() => new Verifier(secret).verify(`${body} `, headers), /signature/)
  assert.throws(() => new Verifier(createWebhookSecret(randomBytes)).verify(body, headers), /signature/)
})

test('webhooks go to https, and to http only where the operator named the host', () => {
  const named = ['127.0.0.1', 'hooks.internal', '::1']
  for (const url of [
    'https://example.com/a?b=c',
    'http://127.0.0.1:8080/',
    'http://hooks.internal',
    'http://[::1]:80/',
  ])
    assert.equal(findWebhookUrlProblem(url, named), undefined, url)
  for (const url of [
    'http://example.com',
    'https://kim:pw@example.com',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'x',
    '',
  ])
    assert.notEqual(findWebhookUrlProblem(url, named), undefined, url)
})
