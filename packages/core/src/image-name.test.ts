import { describe, expect, it } from 'vitest'
import { checkImageName, MAX_IMAGE_NAME_LENGTH } from './image-name.ts'

describe('checkImageName', () => {
  it.each([
    ['report', 'latest'],
    ['team/report', '1.4.0'],
    ['a/b/c/d', '2024-01-01_x'],
    ['a__b', '_x'],
    ['a--b', '1'],
    ['my.image', '1'],
    ['team/my.image_v2', 'V1'],
    ['x'.repeat(MAX_IMAGE_NAME_LENGTH), 'x'.repeat(128)],
  ])('takes %s with tag %s', (name, tag) => {
    expect(checkImageName(name, tag)).toBeNull()
  })

  it.each([
    'evil.example/x',
    'localhost/x',
    'LOCALHOST/x',
    'host:5000/x',
    '127.0.0.1/x',
    '[::1]:5000/x',
    'a.b/c/d',
  ])('refuses %s, which names a host', name => {
    const problem = checkImageName(name, 'latest')
    expect(problem?.field).toBe('name')
    expect(problem?.message).toContain('without a host')
  })

  it.each([
    ['', 'needs a name'],
    ['https://host/x', 'no URL'],
    ['Report', 'lower-case'],
    ['a b', 'lower-case'],
    ['../x', 'names a registry'],
    ['a/../b', 'lower-case'],
    ['a//b', 'slash'],
    ['/a', 'slash'],
    ['a/', 'slash'],
    ['a___b', 'lower-case'],
    ['a-', 'lower-case'],
    ['a:1', '"tag"'],
    ['a@sha256:00', 'digest'],
    ['ä', 'lower-case'],
    ['a\n', 'lower-case'],
    ['x'.repeat(MAX_IMAGE_NAME_LENGTH + 1), 'at most 180'],
  ])('refuses the name %j and says why', (name, reason) => {
    const problem = checkImageName(name, 'latest')
    expect(problem?.field).toBe('name')
    expect(problem?.message).toContain(reason)
  })

  it.each(['', '-x', '.x', 'a b', 'a/b', 'a:b', 'sha256@x', 'x'.repeat(129), 'x\n'])(
    'refuses the tag %j',
    tag => {
      expect(checkImageName('report', tag)?.field).toBe('tag')
    },
  )
})
