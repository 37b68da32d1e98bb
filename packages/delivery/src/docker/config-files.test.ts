import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from './config-files.ts'

describe('secrets and config maps in files', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workly-config-files-'))
    const db = join(folder, 'org_1/secrets/db')
    await mkdir(join(db, '..2026'), { recursive: true })
    await writeFile(join(db, '..2026/PASSWORD'), 'hush\n')
    await symlink('..2026', join(db, '..data'))
    await symlink('..data/PASSWORD', join(db, 'PASSWORD'))
    await mkdir(join(folder, 'org_1/configmaps/conf'), { recursive: true })
    await writeFile(join(folder, 'org_1/configmaps/conf/PASSWORD'), 'plain')
    await mkdir(join(folder, 'org_1/configmaps/bad'), { recursive: true })
    await writeFile(join(folder, 'org_1/configmaps/bad/K'), 'a\0b')
    await mkdir(join(folder, 'org_1/secrets/binary'), { recursive: true })
    await writeFile(join(folder, 'org_1/secrets/binary/K'), Buffer.from([0x61, 0xff]))
    await mkdir(join(folder, 'org_1/secrets/loop'), { recursive: true })
    await symlink('K', join(folder, 'org_1/secrets/loop/K'))
    await mkdir(join(folder, 'org_1/secrets/dangling'), { recursive: true })
    await symlink('nowhere', join(folder, 'org_1/secrets/dangling/K'))
    await symlink(join(folder, 'org_1/configmaps'), join(db, 'a-folder'))
    await mkdir(join(folder, 'org_2/secrets/other'), { recursive: true })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('are read byte for byte, also through the links of a mounted secret', async () => {
    expect(await readConfig(folder, 'org_1', [{ secret: 'db', prefix: 'DB_' }])).toEqual({
      DB_PASSWORD: 'hush\n',
    })
  })

  it('win in the order they are given', async () => {
    const [secret, configMap] = [{ secret: 'db' }, { configMap: 'conf' }]
    expect(await readConfig(folder, 'org_1', [secret, configMap])).toEqual({ PASSWORD: 'plain' })
    expect(await readConfig(folder, 'org_1', [configMap, secret])).toEqual({ PASSWORD: 'hush\n' })
  })

  it.each([
    [{ secret: 'conf' }, 'The secret "conf" does not exist'],
    [{ configMap: 'db' }, 'The config map "db" does not exist'],
    [{ secret: 'other' }, 'The secret "other" does not exist'],
    [{ secret: '../../org_2/secrets/other' }, 'is no name of a secret'],
    [{ secret: '..' }, 'is no name of a secret'],
    [{ configMap: 'bad' }, 'The key "K" of the config map "bad"'],
    [{ secret: 'binary' }, 'The key "K" of the secret "binary"'],
    [{ secret: 'loop' }, 'The secret "loop" can\'t be read on the machine that runs images (ELOOP)'],
    [{ secret: 'dangling' }, 'The secret "dangling" can\'t be read on the machine that runs images (ENOENT)'],
  ])('%j is refused by name, without a path of the machine', async (source, words) => {
    const reading = readConfig(folder, 'org_1', [source])
    await expect(reading).rejects.toThrow(words)
    await expect(reading).rejects.not.toThrow(folder)
  })

  it('need a folder that the operator has set', async () => {
    await expect(readConfig(null, 'org_1', [{ secret: 'db' }])).rejects.toThrow('WORKLY_DOCKER_CONFIG_DIR')
    expect(await readConfig(null, 'org_1', [])).toEqual({})
  })
})
