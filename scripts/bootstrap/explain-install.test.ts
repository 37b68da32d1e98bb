import { expect, test } from 'vitest'
import { explainInstall } from './explain-install.mjs'

test.each([
  ['Error: spawn npx ENOENT', /^npm is missing/],
  [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', /^pnpm-lock\.yaml does not fit/],
  [
    'npm error code ENOTFOUND\nnpm error network request to https://r.example/pnpm failed',
    /^The npm registry cannot be reached/,
  ],
  ['npm error code ECONNREFUSED', /^The npm registry cannot be reached/],
  [
    'ERR_PNPM_META_FETCH_FAIL  GET https://r.example/zod: SELF_SIGNED_CERT_IN_CHAIN',
    /^The npm registry cannot be reached/,
  ],
  ['ERR_PNPM_ENOSPC  ENOSPC: no space left on device, copyfile', /^The disk is full/],
  ["EACCES: permission denied, mkdir '/srv/workly/node_modules'", /^Workly may not write to/],
])('%s is explained in one sentence', (output, sentence) => {
  expect(explainInstall(output, '/log')).toMatch(sentence)
})

test('what is not known is shown: the last lines, and where the rest is', () => {
  const output = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n')

  expect(explainInstall(output, '/log').split('\n')).toEqual([
    ...Array.from({ length: 20 }, (_, line) => `line ${line + 10}`),
    'Installing the packages failed; the whole log is in /log',
  ])
})
